/**
 * A payer and their partner try to get a deposit paid out that the operator has finalised: with dust, with an old
 * choice, with a later deposit (book: contract, "Orders": what is finalised stays finalised). Each attempt runs over
 * HTTP.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';

const file = sharedService();
let partner: Credentials;

beforeAll(async () => {
	partner = await createPartner(file.current(), { weightPerMinute: 1_000_000 });
});

async function newOrder(): Promise<CreatedOrder> {
	const { data, text } = await create(file.current(), partner);
	expect(data?.id, text).toBeTruthy();
	return data;
}

const deposit = (order: CreatedOrder, amount: string) =>
	file.current().operator('sandbox/deposit', { orders: [order.id], amount });
const read = (order: CreatedOrder) => readOrder(file.current(), partner, order);
const until = (order: CreatedOrder, status: string) => untilStatus(file.current(), partner, order, status);
const choose = ({ id, token }: CreatedOrder) =>
	signed(file.current(), partner, '/api/v1/emergency', { id, token, choice: 'EXCHANGE' });

async function finalise(order: CreatedOrder): Promise<void> {
	await file.current().operator('order/finalise', { id: order.id, reason: 'the coins are stolen' });
	expect((await read(order)).status).toBe('EXPIRED');
}

/** An order whose out-of-bounds deposit was finalised. `chosen`: the partner had asked for EXCHANGE before. */
async function finalisedOrder({ amount, chosen = false }: { amount: string; chosen?: boolean }): Promise<CreatedOrder> {
	const order = await newOrder();
	await deposit(order, amount);
	await until(order, 'EMERGENCY');
	if (chosen) expect((await choose(order)).data).toBe(true);
	await finalise(order);
	return order;
}

interface Deposit {
	readonly amount: string;
	readonly dust: boolean;
	readonly state: string;
	readonly setAside: boolean;
	readonly payoutId: string | null;
}
const shown = (order: CreatedOrder) =>
	file.current().operator<{ deposits: Deposit[]; attention: string[] }>('order/show', { id: order.id });

/** Waits until `count` deposits of the order are recorded as final, then for one more poll by the network's agent. */
async function untilRecorded(order: CreatedOrder, count: number): Promise<void> {
	await eventually(`${count} deposits of ${order.id}`, async () => {
		const { deposits } = await shown(order);
		return deposits.filter(({ state }) => state === 'final').length === count;
	});
	const probe = await newOrder();
	await deposit(probe, '2');
	await until(probe, 'DONE');
}

const payoutsOf = (order: CreatedOrder) =>
	file.current().sql("SELECT amount FROM transactions WHERE order_id = ? AND kind = 'payout'", order.id);

describe('an order that the operator finalised', () => {
	it('is not revived by dust, and its deposit is never paid out', async () => {
		const order = await finalisedOrder({ amount: '600' });
		await deposit(order, '0.00001');
		await untilRecorded(order, 2);
		expect((await read(order)).status).toBe('EXPIRED');
		const answer = await choose(order);
		expect([answer.code, answer.msg]).toEqual([1, 'order not in emergency state']);
		expect(await payoutsOf(order)).toEqual([]);
	});

	it('is listed for the operator until the deposit that was set aside is refunded', async () => {
		const order = await finalisedOrder({ amount: '0.3' });
		const { attention } = await shown(order);
		expect(attention).toEqual([expect.stringMatching(/0\.3 LTC .*set aside.* waits for its refund/)]);
		const listed = async () =>
			(await file.current().operator<{ id: string }[]>('order/list', { attention: true })).some(
				({ id }) => id === order.id,
			);
		expect(await listed()).toBe(true);
		expect(await file.current().operator('order/refund', { id: order.id })).toMatchObject({ amount: '0.2999' });
		await eventually('the refund', async () => (await read(order)).back.tx.id);
		expect((await read(order)).status).toBe('EXPIRED');
		expect(await listed()).toBe(false);
	});

	it('judges a later deposit by itself, and needs a new choice', async () => {
		const order = await finalisedOrder({ amount: '0.3' });
		await deposit(order, '0.1');
		const view = await until(order, 'EMERGENCY');
		expect(view.emergency).toEqual({ status: ['LIMIT', 'EXPIRED'], choice: 'NONE' });
		expect(view.from.tx.amount).toBe('0.1');
		await choose(order);
		const done = await until(order, 'DONE');
		// 0.1 LTC at the sandbox's prices, and not 0.4.
		expect(Number(done.to.tx.amount)).toBeLessThan(0.1 * Number(done.rate));
		const { deposits, attention } = await shown(order);
		expect(deposits.find(({ amount }) => amount === '0.3')).toMatchObject({ setAside: true, payoutId: null });
		expect(attention).toEqual([expect.stringMatching(/0\.3 LTC .*set aside/)]);
	});

	it('forgets the old choice: a second EMERGENCY is not exchanged without a new one', async () => {
		// Chosen but not exchanged, because the payout would not be positive.
		const order = await finalisedOrder({ amount: '0.001', chosen: true });
		expect((await read(order)).emergency.choice).toBe('NONE');
		await deposit(order, '2');
		const view = await until(order, 'EMERGENCY');
		expect(view.emergency).toEqual({ status: ['EXPIRED'], choice: 'NONE' });
		await untilRecorded(order, 2);
		expect((await read(order)).status).toBe('EMERGENCY');
		expect(await payoutsOf(order)).toEqual([]);
	});
});

describe('an order that was refunded', () => {
	it('forgets its choice as well: a late deposit waits for a new one', async () => {
		const order = await newOrder();
		await deposit(order, '0.001');
		await until(order, 'EMERGENCY');
		await choose(order);
		await file.current().operator('order/refund', { id: order.id });
		expect((await until(order, 'EXPIRED')).emergency.choice).toBe('NONE');
		await deposit(order, '2');
		expect((await until(order, 'EMERGENCY')).emergency).toEqual({ status: ['EXPIRED'], choice: 'NONE' });
		await untilRecorded(order, 2);
		expect((await read(order)).status).toBe('EMERGENCY');
		expect(await payoutsOf(order)).toEqual([]);
	});
});
