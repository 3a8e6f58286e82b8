/**
 * The statuses of an order (book: contract, "States and transitions", "Orders"). Sandbox prices: LTC 95,
 * ETH 3200; a deposit of less than 0.0001 LTC is dust.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ordersForFile } from '../support/order-life.ts';
import type { CreatedOrder } from '../support/orders.ts';
import { eventually, sharedService } from '../support/service.ts';

const service = sharedService();
const { newOrder, read, until, deposit, history, untilRecorded, afterAPoll, age } = ordersForFile(service);
const HOUR = 3_600_000;

const confirm = (order: CreatedOrder) => service.current().operator('sandbox/confirm', { orders: [order.id] });
const drop = (order: CreatedOrder) => service.current().operator('sandbox/drop', { order: order.id });
const setPrice = (coin: string, usd: string) => service.current().operator('sandbox/price', { coin, usd });

describe('NEW → PENDING → EXCHANGE → DONE', () => {
	it('from.tx is set once a deposit is seen on the chain, to.tx and time.finish with the payout', async () => {
		const order = await newOrder();
		await deposit(order, { confirmations: 0 });
		const pending = await until(order, 'PENDING');
		expect(pending).toMatchObject({
			from: { tx: { id: expect.stringMatching(/^[0-9a-f]{64}$/), amount: '2' } },
			to: { tx: { id: null, amount: null } },
			back: { tx: { id: null } },
			time: { finish: null },
			emergency: { status: [], choice: 'NONE' },
		});
		await confirm(order);
		const done = await until(order, 'DONE');
		expect(done.from.tx).toEqual(pending.from.tx);
		expect(done.to.tx).toEqual({ id: expect.stringMatching(/^0x[0-9a-f]{64}$/), amount: done.to.amount });
		expect(done.time.finish).toBeGreaterThanOrEqual(done.time.reg);
		expect(done.time.update).toBeGreaterThanOrEqual(pending.time.update);
		expect(await history(order)).toEqual(['NEW', 'PENDING', 'EXCHANGE', 'DONE']);
	});

	it('no status is skipped for a deposit that is final when first seen', async () => {
		const order = await newOrder();
		await deposit(order);
		await until(order, 'DONE');
		expect(await history(order)).toEqual(['NEW', 'PENDING', 'EXCHANGE', 'DONE']);
	});

	it('the live rate is taken once, when the deposit becomes final: estimate before, settled figures after', async () => {
		const order = await newOrder();
		expect([order.rate, order.to.amount]).toEqual(['0.0295390625', '0.05902812']);
		await deposit(order, { confirmations: 0 });
		await until(order, 'PENDING');
		try {
			await setPrice('ETH', '1600');
			expect((await read(order)).rate).toBe('0.0295390625');
			await confirm(order);
			const done = await until(order, 'DONE');
			expect([done.rate, done.to.amount, done.to.tx.amount]).toEqual(['0.059078125', '0.11810625', '0.11810625']);
		} finally {
			await setPrice('ETH', '3200');
		}
		expect((await read(order)).to.amount).toBe('0.11810625');
	});

	it('all deposits that are final before the payout starts are added up', async () => {
		const order = await newOrder();
		await deposit(order, { amount: '0.2', confirmations: 0 });
		await until(order, 'PENDING');
		await deposit(order, { amount: '0.9', confirmations: 0 });
		await untilRecorded(order, 2);
		expect((await read(order)).status).toBe('PENDING');
		await confirm(order);
		const done = await until(order, 'DONE');
		expect(done.from.tx.amount).toBe('1.1');
		// 1.1 × 0.0295390625 − 0.00005
		expect(done.to.amount).toBe('0.03244296');
	});

	it('a deposit between the order’s own amount and 1 % above it is in bounds, whatever the price is by then', async () => {
		const order = await newOrder({ amount: '0.45' });
		await deposit(order, { amount: '0.4545', confirmations: 0 });
		await until(order, 'PENDING');
		try {
			await setPrice('LTC', '50');
			await confirm(order);
			await until(order, 'DONE');
		} finally {
			await setPrice('LTC', '95');
		}
	});

	it('DONE is terminal: a deposit after the payout began is recorded and changes no status', async () => {
		const order = await newOrder();
		await deposit(order);
		const done = await until(order, 'DONE');
		await deposit(order, { amount: '1' });
		await untilRecorded(order, 2);
		await afterAPoll();
		const { time: _, ...after } = await read(order);
		const { time: __, ...before } = done;
		expect(after).toEqual(before);
		const waiting = await service.current().operator<{ id: string }[]>('order/list', { attention: true });
		expect(waiting.map(({ id }) => id)).toContain(order.id);
	});

	it('dust alone is recorded and changes no status; with a deposit it is part of the sum', async () => {
		const order = await newOrder();
		await deposit(order, { amount: '0.00009999' });
		await untilRecorded(order, 1);
		await afterAPoll();
		expect(await read(order)).toMatchObject({ status: 'NEW', from: { tx: { id: null, amount: null } } });
		await deposit(order);
		const done = await until(order, 'DONE');
		expect(done.from.tx.amount).toBe('2.00009999');
		// 2.00009999 × 0.0295390625 − 0.00005
		expect(done.to.amount).toBe('0.05903107');
	});
});

describe('→ EXPIRED', () => {
	it('the deposit window closes', async () => {
		const order = await newOrder();
		await age(order, HOUR + 1000);
		const expired = await until(order, 'EXPIRED');
		expect(expired.time.left).toBe(0);
		expect(expired.emergency).toEqual({ status: [], choice: 'NONE' });
		expect(await history(order)).toEqual(['NEW', 'EXPIRED']);
	});

	it('a deposit in time keeps it PENDING past the window', async () => {
		const order = await newOrder();
		await deposit(order, { confirmations: 0 });
		await until(order, 'PENDING');
		await service
			.current()
			.sql('UPDATE deposits SET first_seen_at = first_seen_at - ? WHERE order_id = ?', HOUR, order.id);
		await age(order, HOUR + 1000);
		await afterAPoll();
		expect((await read(order)).status).toBe('PENDING');
		await confirm(order);
		await until(order, 'DONE');
	});

	it('a dropped deposit leaves the order PENDING until it is seen again', async () => {
		const order = await newOrder();
		await deposit(order, { confirmations: 0 });
		await until(order, 'PENDING');
		await drop(order);
		await untilRecorded(order, 1, ['gone']);
		expect((await read(order)).status).toBe('PENDING');
		await deposit(order);
		await until(order, 'DONE');
	});

	it('or 24 h have passed: then EXPIRED', async () => {
		const order = await newOrder();
		await deposit(order, { confirmations: 0 });
		await until(order, 'PENDING');
		await drop(order);
		await untilRecorded(order, 1, ['gone']);
		const dropped = 'UPDATE deposits SET last_seen_at = last_seen_at - ? WHERE order_id = ?';
		await service.current().sql(dropped, 23 * HOUR, order.id);
		await afterAPoll();
		expect((await read(order)).status).toBe('PENDING');
		await service.current().sql(dropped, HOUR, order.id);
		await until(order, 'EXPIRED');
	});

	it('a dropped deposit is not shown as received, its id stays, and its replacement is shown', async () => {
		const order = await newOrder();
		await deposit(order, { confirmations: 0 });
		const { from } = await until(order, 'PENDING');
		expect(from.tx.amount).toBe('2');
		await drop(order);
		await untilRecorded(order, 1, ['gone']);
		await eventually('the copies to follow', async () => (await read(order)).from.tx.amount === null);
		expect((await read(order)).from.tx).toEqual({ id: from.tx.id, amount: null });
		await deposit(order, { confirmations: 0, amount: '2.01' });
		const again = await eventually('the new one', async () => {
			const { from } = await read(order);
			return from.tx.amount !== null && from.tx;
		});
		expect(again.amount).toBe('2.01');
		expect(again.id).not.toBe(from.tx.id);
		await drop(order);
		await untilRecorded(order, 2, ['gone']);
		const dropped = 'UPDATE deposits SET last_seen_at = last_seen_at - ? WHERE order_id = ?';
		await service.current().sql(dropped, 24 * HOUR, order.id);
		expect((await until(order, 'EXPIRED')).from.tx).toEqual({ id: again.id, amount: null });
	});

	it('the 24 h run from when it was dropped, however long it had waited before', async () => {
		const order = await newOrder();
		await deposit(order, { confirmations: 0 });
		await until(order, 'PENDING');
		// It has been in the mempool for 25 hours.
		const waited =
			'UPDATE deposits SET first_seen_at = first_seen_at - ?1, last_seen_at = last_seen_at - ?1 WHERE order_id = ?2';
		await service.current().sql(waited, 25 * HOUR, order.id);
		await age(order, 25 * HOUR);
		await drop(order);
		await untilRecorded(order, 1, ['gone']);
		await afterAPoll();
		expect((await read(order)).status).toBe('PENDING');
	});
});

describe('→ EMERGENCY', () => {
	const emergency = async (order: CreatedOrder) => (await until(order, 'EMERGENCY')).emergency;

	it.each([
		['too little', '2', '0.4'],
		['too much', '2', '600'],
		['worth less than the payout’s network fee', '2', '0.001'],
	])('a deposit outside the pair’s USD bounds: LIMIT (%s)', async (_, amount, paid) => {
		const order = await newOrder({ amount });
		await deposit(order, { amount: paid });
		expect(await emergency(order)).toEqual({ status: ['LIMIT'], choice: 'NONE' });
		expect((await read(order)).from.tx.amount).toBe(paid);
		expect(await history(order)).toEqual(['NEW', 'PENDING', 'EMERGENCY']);
	});

	it('an order with an error delays no other', async () => {
		const troubled = await newOrder();
		await deposit(troubled, { amount: '0.001' });
		await untilRecorded(troubled, 1);
		const other = await newOrder();
		await deposit(other);
		await until(other, 'DONE');
	});

	it('first seen after the window closed: EXPIRED', async () => {
		const order = await newOrder();
		await age(order, HOUR + 60_000);
		await until(order, 'EXPIRED');
		await deposit(order);
		expect(await emergency(order)).toEqual({ status: ['EXPIRED'], choice: 'NONE' });
		expect(await history(order)).toEqual(['NEW', 'EXPIRED', 'EMERGENCY']);
	});

	it('with LIMIT too, if both apply', async () => {
		const order = await newOrder();
		await age(order, HOUR + 60_000);
		await until(order, 'EXPIRED');
		await deposit(order, { amount: '0.1' });
		expect([...(await emergency(order)).status].sort()).toEqual(['EXPIRED', 'LIMIT']);
	});

	it('further deposits that bring the total into bounds resume it without a choice', async () => {
		const order = await newOrder();
		await deposit(order, { amount: '0.3' });
		await until(order, 'EMERGENCY');
		await deposit(order, { amount: '0.2' });
		const done = await until(order, 'DONE');
		expect(done.from.tx.amount).toBe('0.5');
		expect(done.emergency).toEqual({ status: [], choice: 'NONE' });
		expect(await history(order)).toEqual(['NEW', 'PENDING', 'EMERGENCY', 'EXCHANGE', 'DONE']);
	});

	it('further deposits after the window closed do not', async () => {
		const order = await newOrder();
		await deposit(order, { amount: '0.3' });
		await until(order, 'EMERGENCY');
		await age(order, HOUR + 60_000);
		await deposit(order, { amount: '0.2' });
		await untilRecorded(order, 2);
		await afterAPoll();
		expect((await read(order)).status).toBe('EMERGENCY');
	});
});

describe('a poll that dies between recording a deposit and acting on it loses nothing', () => {
	/** Makes every write to the history fail, as if the process died before it. */
	async function whileNothingMoves(run: () => Promise<void>): Promise<void> {
		const sql = service.current().sql;
		const why = `died ${randomUUID()}`;
		await sql(`CREATE TRIGGER dies BEFORE INSERT ON order_changes BEGIN SELECT RAISE(ABORT, '${why}'); END`);
		try {
			await run();
			await eventually('a poll to have died', async () =>
				JSON.stringify(service.current().logged('moves_not_written')).includes(why),
			);
		} finally {
			await sql('DROP TRIGGER dies');
		}
	}

	it('NEW', async () => {
		const order = await newOrder();
		await whileNothingMoves(async () => {
			await deposit(order);
			await untilRecorded(order, 1);
		});
		await until(order, 'DONE');
	});

	it('EMERGENCY that was topped up', async () => {
		const order = await newOrder();
		await deposit(order, { amount: '0.3' });
		await until(order, 'EMERGENCY');
		await whileNothingMoves(async () => {
			await deposit(order, { amount: '0.2' });
			await untilRecorded(order, 2);
		});
		await until(order, 'DONE');
	});

	it('EXPIRED with a late deposit', async () => {
		const order = await newOrder();
		await age(order, HOUR + 60_000);
		await until(order, 'EXPIRED');
		await whileNothingMoves(async () => {
			await deposit(order);
			await untilRecorded(order, 1);
		});
		await until(order, 'EMERGENCY');
	});
});
