/**
 * Which order a payment is of, where it paid an address that several orders share. An order has it where the amount can
 * be the order's: its payout, from half to twice of what is owed, because prices move; its refund, from half of its
 * deposits that nothing answers for to all of them, because a fee is kept back. Each payment is of one order at most. First
 * those that can be of one order alone: else that order would take another one's refund, which is closer. Then the closest.
 * Of every other amount only a person can tell: fees may have taken most of a small one, a deposit may be on its way. Pure.
 */
import { assetOf } from '../../catalog/assets.ts';
import { toBaseUnits } from '../../money/units.ts';
import type { OlderOrder, OlderPayment } from '../../ports/copy.ts';
import type { DoubtedOrder } from './doubted.ts';

export interface Whose {
	/** The payment that is the order's, if there is one. */
	readonly own: OlderPayment | null;
	/** Payments to its addresses that are other orders' here. */
	readonly others: readonly OlderPayment[];
	/** Payments to its addresses that are no order's here by their amount. */
	readonly strange: readonly OlderPayment[];
}

interface Pair {
	readonly orderId: string;
	readonly payment: OlderPayment;
	readonly off: number;
}

const SHARES = 1_000_000n;

/** By order id. */
export function whosePayments(orders: readonly DoubtedOrder[], looked: readonly OlderOrder[]): Map<string, Whose> {
	const found = new Map(looked.map(({ orderId, payments }) => [orderId, payments]));
	const pairs = orders.flatMap((each): Pair[] =>
		(found.get(each.order.id) ?? []).flatMap((payment) => {
			const off = distance(each, payment);
			return off === null ? [] : [{ orderId: each.order.id, payment, off }];
		}),
	);
	const ownOf = new Map<string, Pair>();
	const taken = new Set<string>();
	const candidates = Map.groupBy(pairs, ({ payment }) => placeOf(payment));
	const isShared = ({ payment }: Pair): boolean => (candidates.get(placeOf(payment))?.length ?? 0) > 1;
	for (const pair of pairs.toSorted((a, b) => Number(isShared(a)) - Number(isShared(b)) || a.off - b.off)) {
		if (ownOf.has(pair.orderId) || taken.has(placeOf(pair.payment))) continue;
		ownOf.set(pair.orderId, pair);
		taken.add(placeOf(pair.payment));
	}
	return new Map(
		[...found].map(([orderId, payments]) => {
			const own = ownOf.get(orderId)?.payment ?? null;
			const rest = payments.filter((payment) => payment !== own);
			const others = rest.filter((payment) => taken.has(placeOf(payment)));
			const strange = rest.filter((payment) => !taken.has(placeOf(payment)));
			return [orderId, { own, others, strange }];
		}),
	);
}

const placeOf = ({ network, txId }: OlderPayment): string => `${network} ${txId}`;

/** How far the amount is from what the order would be paid, millionths; null where it cannot be the order's. */
function distance({ order, row, owed }: DoubtedOrder, { kind, amount }: OlderPayment): number | null {
	const planned = row?.kind === kind ? BigInt(row.amount) : null;
	const paid = BigInt(amount);
	if (planned === paid) return 0;
	if (kind === 'refund') return paid * 2n < owed || paid > owed ? null : offFrom(owed, paid);
	const offs = (planned === null ? payoutsOf(order, owed) : [planned])
		.filter((expected) => expected > 0n && expected <= paid * 2n && paid <= expected * 2n)
		.map((expected) => offFrom(expected, paid));
	return offs.length === 0 ? null : Math.min(...offs);
}

/** Above what is expected, half of it: twice of that is as far off as half of it. */
function offFrom(expected: bigint, paid: bigint): number {
	const off = paid > expected ? (paid - expected) / 2n : expected - paid;
	return 1 + Number((off * SHARES) / expected);
}

/** As the order says, which may be for what was asked or for what came; and for what came, at its rate. */
function payoutsOf({ fromAsset, fromAmount, toAsset, toAmount }: DoubtedOrder['order'], owed: bigint): bigint[] {
	const asked = toBaseUnits(fromAmount, assetOf(fromAsset).decimals);
	const payout = toBaseUnits(toAmount, assetOf(toAsset).decimals);
	return asked > 0n ? [payout, (payout * owed) / asked] : [payout];
}
