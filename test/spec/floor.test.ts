/** A floor under the rate, and the whole cost of a quote (book: contract, "A floor under the rate", "Quote"). */
import { describe, expect, it } from 'vitest';
import type { OrderView } from '../../src/orders/view.ts';
import { ordersForFile } from '../support/order-life.ts';
import { create, LTC_REFUND, PRICE } from '../support/orders.ts';
import { signed } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';

const service = sharedService();
const { partner, newOrder, until, deposit, history } = ordersForFile(service);

const post = <T>(path: string, body: unknown) => signed<T>(service.current(), partner(), `/api/v1/${path}`, body);
const made = (more: Record<string, unknown>) => create(service.current(), partner(), more);
const quoted = async (): Promise<string> => (await post<OrderView>('price', PRICE)).data.to.amount;
/** The sandbox's prices stand still in a test: one per cent below the quote. */
const SLIPPAGE = { slippageBps: 100 };

describe('a create with a floor', () => {
	it('shows it in every answer; without one the order has no such field', async () => {
		const order = await newOrder({ minToAmount: '0.05' });
		const read = await post<OrderView>('order', { id: order.id, token: order.token });
		expect([order.minToAmount, read.data.minToAmount]).toEqual(['0.05', '0.05']);
		expect(Object.keys(await newOrder({ minToAmount: null, slippageBps: null }))).not.toContain('minToAmount');
	});

	it('in basis points has the quote less that share, rounded up', async () => {
		const order = await newOrder(SLIPPAGE);
		const [amount, floor] = [order.to.amount, order.minToAmount ?? ''].map((each) => Math.round(Number(each) * 1e8));
		expect(floor).toBe(Math.ceil(((amount ?? 0) * 99) / 100));
		const exact = await newOrder({ slippageBps: 0 });
		expect(exact.minToAmount).toBe(exact.to.amount);
	});

	it('above the quote is code 1, and the answer says what the order would bring', async () => {
		const answer = await made({ minToAmount: '99' });
		expect([answer.status, answer.code, answer.headers.get('x-quote-to-amount')]).toEqual([400, 1, await quoted()]);
	});

	it.each([
		{ minToAmount: '0' },
		{ minToAmount: '-1' },
		{ minToAmount: '0.000000001' },
		{ minToAmount: 'much' },
		{ minToAmount: 0.01 },
		{ slippageBps: -1 },
		{ slippageBps: 5001 },
		{ slippageBps: 0.5 },
		{ slippageBps: '100' },
		{ minToAmount: '0.01', slippageBps: 100 },
	])('%j is code 1', async (more) => {
		const answer = await made(more);
		expect([answer.code, answer.headers.get('x-quote-to-amount')]).toEqual([1, null]);
	});

	it('is part of the body that an Idempotency-Key stands for', async () => {
		const key = { headers: { 'idempotency-key': 'the key of a floor' } };
		const again = (more: Record<string, unknown>) => create(service.current(), partner(), more, key);
		const { id } = (await again({ minToAmount: '0.05' })).data;
		expect((await again({ minToAmount: '0.0500' })).data).toMatchObject({ id, token: null, minToAmount: '0.05' });
		for (const more of [{}, { minToAmount: '0.051' }, SLIPPAGE]) expect((await again(more)).status).toBe(409);
	});
});

describe('at settlement', () => {
	it('a deposit that brings the floor is exchanged', async () => {
		const order = await newOrder(SLIPPAGE);
		await deposit(order, { amount: '1.99' });
		const done = await until(order, 'DONE');
		expect(Number(done.to.tx.amount)).toBeGreaterThanOrEqual(Number(order.minToAmount));
	});

	it('one that brings less goes back by itself, less its network fee: PENDING, then EXPIRED with back.tx.id', async () => {
		const order = await newOrder(SLIPPAGE);
		await deposit(order, { amount: '1.9' });
		const ended = await until(order, 'EXPIRED');
		expect([ended.back.address, ended.back.tx.id !== null, ended.to.tx.id]).toEqual([LTC_REFUND, true, null]);
		expect(Number(ended.to.amount)).toBeLessThan(Number(order.minToAmount));
		expect(await history(order)).toEqual(['NEW', 'PENDING', 'EXPIRED']);
		const shown = await service.current().operator<{ payouts: object[] }>('order/show', { id: order.id });
		expect(shown.payouts).toMatchObject([{ kind: 'refund', amount: '1.8999', toAddress: LTC_REFUND }]);
	});

	it('more than asked must bring the floor in proportion', async () => {
		const order = await newOrder(SLIPPAGE);
		await deposit(order, { amount: '4' });
		expect(Number((await until(order, 'DONE')).to.tx.amount)).toBeGreaterThan(2 * Number(order.minToAmount));
	});

	it('out of bounds is EMERGENCY as ever, and a choice does not lift the floor', async () => {
		const order = await newOrder(SLIPPAGE);
		await deposit(order, { amount: '0.1' });
		expect((await until(order, 'EMERGENCY')).emergency.status).toEqual(['LIMIT']);
		expect((await post('emergency', { id: order.id, token: order.token, choice: 'EXCHANGE' })).code).toBe(0);
		const ended = await until(order, 'EXPIRED');
		expect([ended.back.tx.id !== null, ended.to.tx.id]).toEqual([true, null]);
	});
});

it('a floor that somebody wrote into the database keeps its own order alone', async () => {
	const [changed, other] = [await newOrder(), await newOrder()];
	const write = (floor: string | null) =>
		service.current().sql('UPDATE orders SET min_to_amount = ? WHERE id = ?', floor, changed.id);
	await write('none');
	await deposit(changed);
	await deposit(other);
	await until(other, 'DONE');
	await write(null);
	await until(changed, 'DONE');
});

describe('the whole cost of a quote', () => {
	it('is there where `with` asks for it, against the price in the middle of the market', async () => {
		const [plain, full] = [await post('price', PRICE), await post<Cost>('price', { ...PRICE, with: ['cost'] })];
		const { cost, ...rest } = full.data;
		expect(rest).toEqual(plain.data);
		const { from, to } = full.data;
		const mid = Number(from.amount) * Number(cost.midRate);
		expect(Number(cost.amount)).toBeCloseTo(mid - Number(to.amount), 7);
		expect(Number(cost.bps)).toBeCloseTo(((mid - Number(to.amount)) / mid) * 10_000, 1);
	});

	it('another name is code 1', async () => {
		expect((await post('price', { ...PRICE, with: ['costs'] })).code).toBe(1);
	});
});

interface Cost {
	readonly from: { readonly amount: string };
	readonly to: { readonly amount: string };
	readonly cost: { readonly midRate: string; readonly amount: string; readonly bps: string };
}
