/** Which order a payment of before a restore is of, where it went to an address that several orders share. */
import { expect, it } from 'vitest';
import type { DoubtedOrder } from '../../src/operator/orders/doubted.ts';
import { whosePayments } from '../../src/operator/orders/whose-payment.ts';
import type { OlderPayment } from '../../src/ports/copy.ts';

const LTC = 100_000_000n;
const MILLI_ETH = 10n ** 15n;

/** Of 2 LTC for 0.05 ETH. `owed`: base units. */
const order = (id: string, { owed = 2n * LTC, toAmount = '0.05', planned = 0n } = {}): DoubtedOrder =>
	({
		order: { id, fromAsset: 'LTC', fromAmount: '2', toAsset: 'ETH', toAmount },
		row: planned > 0n ? { id: `payout of ${id}`, kind: 'payout', amount: planned.toString() } : null,
		owed,
	}) as unknown as DoubtedOrder;
const refund = (txId: string, amount: bigint): OlderPayment =>
	({ kind: 'refund', network: 'Litecoin', asset: 'LTC', txId, amount: amount.toString() }) as OlderPayment;
const payout = (txId: string, amount: bigint): OlderPayment =>
	({ kind: 'payout', network: 'Ethereum', asset: 'ETH', txId, amount: amount.toString() }) as OlderPayment;

const judged = (orders: readonly DoubtedOrder[], found: Record<string, OlderPayment[]>) =>
	[
		...whosePayments(
			orders,
			Object.entries(found).map(([orderId, payments]) => ({ orderId, payments, unread: [] })),
		),
	].map(([id, { own, strange }]) => [id, own?.txId ?? null, strange.map(({ txId }) => txId)]);

it('a payment that can be of one order alone is that order’s, although another one’s refund is closer in amount', () => {
	const back = refund('back', 2n * LTC - 1000n);
	const orders = [order('paid', { planned: 48n * MILLI_ETH }), order('sent back')];
	expect(judged(orders, { paid: [payout('paid out', 58n * MILLI_ETH), back], 'sent back': [back] })).toEqual([
		['paid', 'paid out', []],
		['sent back', 'back', []],
	]);
});

it('a refund of a later deposit is the order’s, whatever its first deposit was', () => {
	const later = refund('later', LTC - 1000n);
	expect(judged([order('done', { owed: LTC })], { done: [later] })).toEqual([['done', 'later', []]]);
});

it('a payout for a deposit that is smaller than what was asked is the order’s, whichever of both the order says', () => {
	const small = payout('small', 3n * MILLI_ETH);
	for (const toAmount of ['0.05', '0.00284453'])
		expect(judged([order('small', { owed: LTC / 10n, toAmount })], { small: [small] })).toEqual([
			['small', 'small', []],
		]);
});

it('a payout of less than half, of which fees may have taken the rest, is left to a person', () => {
	expect(judged([order('small')], { small: [payout('tiny', 2n * MILLI_ETH)] })).toEqual([['small', null, ['tiny']]]);
});

it('a refund of less than half is left to a person', () => {
	expect(judged([order('small')], { small: [refund('tiny', LTC - 1n)] })).toEqual([['small', null, ['tiny']]]);
});

it('what is more than the order would get is left to a person', () => {
	const more = [payout('much', 101n * MILLI_ETH), refund('more', 2n * LTC + 1n)];
	expect(judged([order('one')], { one: more })).toEqual([['one', null, ['much', 'more']]]);
});
