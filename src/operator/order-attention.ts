/**
 * What waits for a person (`order list --attention`): `waiting` finds the orders in D1, `attentionReasons` says of each
 * order why, in one line per reason. The two must agree; where one changes, so does the other.
 */
import { and, eq, inArray, isNotNull, isNull, lt, ne, or, type SQL } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type DepositRow, deposits, type OrderRow, orders } from '../orders/table.ts';
import { type PayoutRow, payouts } from '../treasury/table.ts';
import { coins } from './order-record.ts';

/** A payout that is not on its way this long after it was owed. */
const SLOW_MILLISECONDS = 10 * 60_000;

/** The condition on `orders`. Each part names the words of the partial index that serves it. */
export function waiting(db: DrizzleD1Database, now: number): SQL | undefined {
	const slow = and(
		ne(payouts.state, 'final'),
		inArray(payouts.state, ['planned', 'signed']),
		lt(payouts.plannedAt, now - SLOW_MILLISECONDS),
	);
	const unclaimed = db
		.select({ orderId: deposits.orderId })
		.from(deposits)
		.where(and(eq(deposits.state, 'final'), eq(deposits.settled, false), eq(deposits.dust, false)));
	return or(
		and(inArray(orders.status, ['PENDING', 'EMERGENCY']), eq(orders.status, 'EMERGENCY'), isNull(orders.deletedAt)),
		inArray(orders.id, db.select({ orderId: payouts.orderId }).from(payouts).where(isNotNull(payouts.held))),
		inArray(orders.id, db.select({ orderId: payouts.orderId }).from(payouts).where(slow)),
		and(or(isNotNull(orders.deletedAt), inArray(orders.status, ['EXCHANGE', 'DONE'])), inArray(orders.id, unclaimed)),
	);
}

/** Pure; `now` in Unix milliseconds. None when the order goes its way alone. */
export function attentionReasons(
	order: Pick<OrderRow, 'status' | 'emergencyReasons' | 'emergencyChoice' | 'deletedAt'>,
	orderDeposits: readonly Pick<DepositRow, 'state' | 'settled' | 'dust' | 'asset' | 'amount'>[],
	orderPayouts: readonly Pick<PayoutRow, 'state' | 'held' | 'plannedAt'>[],
	now: number,
): string[] {
	return [
		...emergencyReason(order),
		...orderPayouts.flatMap((payout) => payoutReason(payout, now)),
		...orderDeposits.flatMap((deposit) => depositReason(order, deposit)),
	];
}

function emergencyReason({
	status,
	emergencyReasons,
	emergencyChoice,
	deletedAt,
}: Parameters<typeof attentionReasons>[0]) {
	if (status !== 'EMERGENCY' || deletedAt !== null) return [];
	const why = emergencyReasons.join(', ');
	return emergencyChoice === 'EXCHANGE'
		? [`EMERGENCY (${why}): exchange was chosen and has not begun; no fresh price, or nothing would be left to pay`]
		: [`EMERGENCY (${why}): waits for the partner's choice or a refund`];
}

function payoutReason({ state, held, plannedAt }: Pick<PayoutRow, 'state' | 'held' | 'plannedAt'>, now: number) {
	if (held !== null) return [`the payout is held: ${held}`];
	const age = now - plannedAt;
	const isSlow = (state === 'planned' || state === 'signed') && age > SLOW_MILLISECONDS;
	return isSlow ? [`the payout is still ${state} after ${Math.floor(age / 60_000)} minutes`] : [];
}

function depositReason(
	{ status, deletedAt }: Pick<OrderRow, 'status' | 'deletedAt'>,
	{ state, settled, dust, asset, amount }: Pick<DepositRow, 'state' | 'settled' | 'dust' | 'asset' | 'amount'>,
) {
	if (state !== 'final' || settled || dust) return [];
	const deposit = `a deposit of ${coins(asset, amount)} ${asset}`;
	if (deletedAt !== null) return [`${deposit} to a deleted order waits for its refund`];
	return status === 'EXCHANGE' || status === 'DONE'
		? [`${deposit} came after the payout began and waits for its refund`]
		: [];
}
