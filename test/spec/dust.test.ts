/**
 * Dust (book: contract, "Orders"): alone it changes no status; with a deposit that is none it is part of one sum. Sandbox
 * prices: LTC 95, ETH 3200; a payment of LTC costs 0.0001, one of BTC 0.00002.
 */
import { describe, expect, it } from 'vitest';
import { ordersForFile } from '../support/order-life.ts';
import type { CreatedOrder } from '../support/orders.ts';
import { eventually, sharedService } from '../support/service.ts';

const BTC_REFUND = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';

const service = sharedService();
const { newOrder, read, until, deposit, untilRecorded, afterAPoll, age } = ordersForFile(service);
const ask = <Data>(path: string, body: Record<string, unknown>) => service.current().operator<Data>(path, body);

/** Waits for the refund; what it sent. */
async function refunded(order: CreatedOrder): Promise<string | undefined> {
	await ask('order/refund', { id: order.id });
	return eventually('the refund to be sent', async () => {
		const { payouts } = await ask<{ payouts: { kind: string; amount: string; sentAt: string | null }[] }>(
			'order/show',
			{ id: order.id },
		);
		return payouts.find(({ kind, sentAt }) => kind === 'refund' && sentAt !== null)?.amount;
	});
}

describe('a payer who sends a little first', () => {
	it('alone, it changes no status; with the rest it is exchanged', async () => {
		const order = await newOrder();
		await deposit(order, { amount: '0.00009999' });
		await untilRecorded(order, 1);
		await afterAPoll();
		expect(await read(order)).toMatchObject({ status: 'NEW', from: { tx: { id: null, amount: null } } });
		await deposit(order, { amount: '1.99990001' });
		const done = await until(order, 'DONE');
		expect(done.from.tx.amount).toBe('2');
		expect(done.to.tx.amount).toBe('0.05902812');
		const lines = await ask<{ id: string; received: string | null }[]>('order/list', {});
		expect(lines.find(({ id }) => id === order.id)?.received).toBe('2');
	});

	it('is shown the sum while the rest is not final, and its id is of what is no dust', async () => {
		const order = await newOrder();
		await deposit(order, { amount: '0.00009999' });
		await untilRecorded(order, 1);
		await deposit(order, { amount: '1.99990001', confirmations: 0 });
		const pending = await until(order, 'PENDING');
		const rows = await service
			.current()
			.sql<{ tx_id: string }>('SELECT tx_id FROM deposits WHERE order_id = ? AND dust = 0', order.id);
		expect(pending.from.tx).toEqual({ id: rows[0]?.tx_id, amount: '2' });
	});

	it('gets all of it back where the order is refunded', async () => {
		const order = await newOrder();
		await deposit(order, { amount: '0.00009999' });
		await untilRecorded(order, 1);
		await deposit(order, { amount: '0.1' });
		const waiting = await until(order, 'EMERGENCY');
		expect(waiting.from.tx.amount).toBe('0.10009999');
		expect(await refunded(order)).toBe('0.09999999');
		expect((await until(order, 'EXPIRED')).from.tx.amount).toBe('0.10009999');
	});
});

describe('a payer who sends a little later', () => {
	it('brings too little into bounds with it', async () => {
		const order = await newOrder({ amount: '0.42105264' });
		await deposit(order, { amount: '0.4126' });
		await until(order, 'EMERGENCY');
		await deposit(order, { amount: '0.00009999' });
		await untilRecorded(order, 2);
		expect((await until(order, 'DONE')).from.tx.amount).toBe('0.41269999');
	});

	it('is not paid for it once the payout began, and `order refund` finds it with the next deposit', async () => {
		const order = await newOrder();
		await deposit(order);
		const done = await until(order, 'DONE');
		await deposit(order, { amount: '0.00009999' });
		await untilRecorded(order, 2);
		await afterAPoll();
		expect((await read(order)).from.tx).toEqual(done.from.tx);
		await deposit(order, { amount: '0.5' });
		await untilRecorded(order, 3);
		expect(await refunded(order)).toBe('0.49999999');
		expect((await read(order)).from.tx).toEqual(done.from.tx);
	});
});

describe('dust that nothing follows', () => {
	it('is booked as too small to be sent back when its address is watched no more, and changes no status', async () => {
		const order = await newOrder();
		await deposit(order, { amount: '0.00009999' });
		await untilRecorded(order, 1);
		await age(order, 31 * 24 * 3_600_000);
		await eventually('the dust to be booked', async () => {
			const [row] = await service
				.current()
				.sql<{ payout_id: string | null }>('SELECT payout_id FROM deposits WHERE order_id = ?', order.id);
			return row?.payout_id?.startsWith('unreturned ');
		});
		const after = await until(order, 'EXPIRED');
		expect([after.from.tx, after.back.tx]).toEqual([{ id: null, amount: null }, { id: null }]);
		const { wallets } = await ask<{ wallets: { asset: string; result: string }[] }>('ledger/check', {});
		expect(wallets.find(({ asset }) => asset === 'LTC')?.result).toBe('ok');
	});
});

describe('what an order asked for is never dust', () => {
	it('whatever a payment costs by then', async () => {
		const order = await newOrder({ fromCcy: 'BTC', refundAddress: BTC_REFUND, amount: '0.00045' });
		const [row] = await service
			.current()
			.sql<{ dust_below: string }>('SELECT dust_below FROM orders WHERE id = ?', order.id);
		// What a payment costs, 2 000, is less than a tenth of it.
		expect(row?.dust_below).toBe('2000');
	});

	it('and a minimum says so where a payment of the source asset costs more than the pair’s minimum', async () => {
		const setPrice = (usd: string) => ask('sandbox/price', { coin: 'BTC', usd });
		try {
			// A payment of BTC costs 60 USD.
			await setPrice('3000000');
			const body = { fromCcy: 'BTC', refundAddress: BTC_REFUND };
			await expect(newOrder({ ...body, amount: '0.00002' })).rejects.toThrow('create: 7');
			const order = await newOrder({ ...body, amount: '0.00002001' });
			await deposit(order, { amount: '0.00002001' });
			expect((await until(order, 'DONE')).from.tx.amount).toBe('0.00002001');
		} finally {
			await setPrice('95000');
		}
	});
});
