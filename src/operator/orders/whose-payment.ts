/**
 * Which order a payment is of, where it paid an address that several orders share. An order has it where the amount can
 * be the order's: its payout, between half and twice of what is owed, because prices move; its refund, from half of its
 * deposits to all of them, because a fee is kept back. Each payment is of one order at most, the closest first. Pure.
 */
import { assetOf } from '../../catalog/assets.ts';
import { toBaseUnits } from '../../money/units.ts';
import type { OlderOrder, OlderPayment } from '../../treasury/copy-port.ts';
import type { DoubtedOrder } from './doubted.ts';

export interface Whose {
	/** The payment that is the order's, if there is one. */
	readonly own: OlderPayment | null;
	/** Payments to its addresses that are other orders' here. */
	readonly others: readonly OlderPayment[];
	/** Payments to its addresses that can be no order's here. */
	readonly strange: readonly OlderPayment[];
}

const SHARES = 1_000_000n;

/** By order id. */
export function whosePayments(orders: readonly DoubtedOrder[], looked: readonly OlderOrder[]): Map<string, Whose> {
	const found = new Map(looked.map(({ orderId, payments }) => [orderId, payments]));
	const pairs = orders.flatMap((each) =>
		(found.get(each.order.id) ?? []).flatMap((payment) => {
			const off = distance(each, payment);
			return off === null ? [] : [{ orderId: each.order.id, payment, off }];
		}),
	);
	const ownOf = new Map<string, OlderPayment>();
	const taken = new Set<string>();
	for (const { orderId, payment } of pairs.toSorted((a, b) => a.off - b.off)) {
		if (ownOf.has(orderId) || taken.has(placeOf(payment))) continue;
		ownOf.set(orderId, payment);
		taken.add(placeOf(payment));
	}
	return new Map(
		[...found].map(([orderId, payments]) => {
			const own = ownOf.get(orderId) ?? null;
			const rest = payments.filter((payment) => payment !== own);
			const isTaken = (payment: OlderPayment) => taken.has(placeOf(payment));
			return [orderId, { own, others: rest.filter(isTaken), strange: rest.filter((each) => !isTaken(each)) }];
		}),
	);
}

const placeOf = ({ network, txId }: OlderPayment): string => `${network} ${txId}`;

/** How far the amount is from what the order would be paid, millionths; null where it cannot be the order's. */
function distance({ order, row }: DoubtedOrder, { kind, amount }: OlderPayment): number | null {
	const planned = row?.kind === kind ? BigInt(row.amount) : null;
	const paid = BigInt(amount);
	if (planned === paid) return 0;
	const expected = planned ?? expectedOf(order, kind);
	if (expected <= 0n || paid * 2n < expected || paid > expected * (kind === 'refund' && planned === null ? 1n : 2n))
		return null;
	const off = paid > expected ? paid - expected : expected - paid;
	return 1 + Number((off * SHARES) / expected);
}

const expectedOf = (order: DoubtedOrder['order'], kind: OlderPayment['kind']): bigint =>
	kind === 'payout'
		? toBaseUnits(order.toAmount, assetOf(order.toAsset).decimals)
		: toBaseUnits(order.depositAmount ?? '0', assetOf(order.fromAsset).decimals);
