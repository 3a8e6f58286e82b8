/** Orders in every state that their page tells apart, for its tests and for the screenshots. */
import { type CreatedOrder, create, ETH_RECIPIENT, LTC_REFUND, untilStatus } from './orders.ts';
import { type Credentials, createPartner } from './partner.ts';
import { eventually, type TestService } from './service.ts';

export const ORDER_PAGE_STATES = [
	'new',
	'ending',
	'confirming',
	'dropped',
	'sending',
	'done',
	'beyond',
	'little',
	'much',
	'late',
	'held',
	'chosen',
	'returning',
	'returned',
	'floored',
	'seenLate',
	'closed',
	'expired',
] as const;

export type OrderPageState = (typeof ORDER_PAGE_STATES)[number];

export interface FilledOrders {
	readonly partner: Credentials;
	readonly orders: Readonly<Record<OrderPageState, CreatedOrder>>;
	/** The path of an order's page, token and all. */
	readonly pathOf: (state: OrderPageState) => string;
	/** Makes the choice of `chosen`: the next poll acts on it, so read its page at once. */
	readonly choose: () => Promise<unknown>;
}

const MINUTE = 60_000;

/** By network: nothing is sent afterwards from or to it, so they stay as they are. With a floor: of one per cent. */
const ASKED: Readonly<Partial<Record<OrderPageState, Record<string, unknown>>>> = {
	confirming: { slippageBps: 100 },
	floored: { slippageBps: 100 },
	sending: { toCcy: 'ETHOP' },
	returning: { fromCcy: 'ETHOP', toCcy: 'LTC', amount: '1', toAddress: LTC_REFUND, refundAddress: ETH_RECIPIENT },
};

export async function fillOrders(service: TestService): Promise<FilledOrders> {
	const { operator, sql } = service;
	const partner = await createPartner(service, { name: 'Coins & Co' });
	await operator('partner/update', {
		id: partner.id,
		orderPageName: 'Coins & Co',
		orderPageReturn: 'https://shop.example/swap',
		orderPageSupport: 'help@shop.example',
		payerDecides: true,
	});
	const made = await Promise.all(
		ORDER_PAGE_STATES.map(async (state) => [state, (await create(service, partner, ASKED[state])).data] as const),
	);
	const orders = Object.fromEntries(made) as Record<OrderPageState, CreatedOrder>;
	await operator('network/update', { name: 'Optimism', send: false });
	const deposit = (states: readonly OrderPageState[], more: Record<string, unknown> = {}) =>
		operator('sandbox/deposit', { orders: states.map((state) => orders[state].id), ...more });
	const until = (state: OrderPageState, status: string) => untilStatus(service, partner, orders[state], status);
	const left = (state: OrderPageState, milliseconds: number) =>
		sql(
			`UPDATE orders SET created_at = created_at - expires_at + ?1, watch_until = watch_until - expires_at + ?1,
				expires_at = ?1 WHERE id = ?2`,
			Date.now() + milliseconds,
			orders[state].id,
		);
	await left('ending', 7.5 * MINUTE);
	for (const state of ['late', 'seenLate', 'expired'] as const) await left(state, -5 * MINUTE);
	await operator('order/screen', { id: orders.held.id, verdict: 'hold', reason: 'to be checked' });
	await deposit(['confirming'], { confirmations: 1 });
	await deposit(['dropped'], { confirmations: 0 });
	await deposit(['done', 'beyond', 'sending', 'held']);
	await deposit(['little', 'chosen', 'returned', 'closed'], { amount: '0.1' });
	await deposit(['little'], { amount: '0.05' });
	await deposit(['returning'], { amount: '0.001' });
	await deposit(['much'], { amount: '1000' });
	await deposit(['floored'], { amount: '1.9' });
	await Promise.all([
		until('expired', 'EXPIRED'),
		until('late', 'EXPIRED')
			.then(() => deposit(['late']))
			.then(() => until('late', 'EMERGENCY')),
		until('seenLate', 'EXPIRED').then(() => deposit(['seenLate'], { confirmations: 0 })),
		until('dropped', 'PENDING').then(() => operator('sandbox/drop', { order: orders.dropped.id })),
		until('beyond', 'DONE').then(() => deposit(['beyond'], { amount: '0.25' })),
		until('returned', 'EMERGENCY')
			.then(() => operator('order/refund', { id: orders.returned.id }))
			.then(() => until('returned', 'EXPIRED')),
		until('returning', 'EMERGENCY').then(() => operator('order/refund', { id: orders.returning.id })),
		until('closed', 'EMERGENCY').then(() =>
			operator('order/finalise', { id: orders.closed.id, reason: 'asked by the payer' }),
		),
		...(['little', 'much', 'chosen'] as const).map((state) => until(state, 'EMERGENCY')),
		until('held', 'PENDING'),
		until('floored', 'EXPIRED'),
		until('done', 'DONE'),
		until('sending', 'EXCHANGE'),
		until('confirming', 'PENDING'),
	]);
	await settled(service, orders);
	const pathOf = (state: OrderPageState) => `/o/${orders[state].id}#${orders[state].token}`;
	const choose = () =>
		sql("UPDATE orders SET emergency_choice = 'EXCHANGE', to_amount = '0.00029' WHERE id = ?", orders.chosen.id);
	return { partner, orders, pathOf, choose };
}

/** What no status tells: deposits that are recorded, and states that only a screening service or a second payer makes. */
async function settled({ sql }: TestService, orders: FilledOrders['orders']): Promise<void> {
	const counts = async (id: string) =>
		(await sql("SELECT 1 FROM deposits WHERE order_id = ? AND state <> 'gone'", id)).length;
	await eventually('the deposits to be recorded', async () => {
		const [beyond, seenLate, dropped] = await Promise.all([
			counts(orders.beyond.id),
			counts(orders.seenLate.id),
			counts(orders.dropped.id),
		]);
		return beyond === 2 && seenLate === 1 && dropped === 0;
	});
}
