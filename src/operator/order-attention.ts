/**
 * What waits for a person (`order list --attention`): `waiting` finds the orders in D1, `attentionReasons` says of each
 * order why, in one line per reason. The two must agree; where one changes, so does the other.
 */
import { type SQL, sql } from 'drizzle-orm';
import { type DepositRow, deposits, type OrderRow, orders } from '../orders/table.ts';
import { type PayoutRow, payouts } from '../treasury/table.ts';
import { coins } from './order-record.ts';

/** A payout that is not on its way this long after it was owed. */
const SLOW_MILLISECONDS = 10 * 60_000;

/**
 * The condition on `orders`. One list of ids, so that the few that wait are looked up instead of all being looked
 * through; its parts are written out in the words of the partial indexes that serve them.
 */
export const waiting = (now: number): SQL => sql`${orders.id} in (
	select ${orders.id} from ${orders}
	where ${orders.status} in ('PENDING', 'EMERGENCY') and ${orders.status} = 'EMERGENCY' and ${orders.deletedAt} is null
	union all
	select ${payouts.orderId} from ${payouts} where ${payouts.held} is not null
	union all
	select ${payouts.orderId} from ${payouts}
	where ${payouts.state} <> 'final' and ${payouts.state} in ('planned', 'signed')
		and ${payouts.plannedAt} < ${now - SLOW_MILLISECONDS}
	union all
	select ${deposits.orderId} from ${deposits} join ${orders} on ${orders.id} = ${deposits.orderId}
	where ${deposits.state} = 'final' and ${deposits.payoutId} is null and ${deposits.dust} = 0
		and (${deposits.setAside} = 1 or ${orders.deletedAt} is not null or ${orders.status} in ('EXCHANGE', 'DONE', 'EXPIRED'))
)`;

/** Pure; `now` in Unix milliseconds. None when the order goes its way alone. */
export function attentionReasons(
	order: Pick<OrderRow, 'status' | 'emergencyReasons' | 'emergencyChoice' | 'deletedAt'>,
	orderDeposits: readonly Pick<DepositRow, 'state' | 'payoutId' | 'dust' | 'setAside' | 'asset' | 'amount'>[],
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
		? [
				`EMERGENCY (${why}): exchange was chosen and cannot begin: no fresh price, nothing would be left to pay, or worth more than the signer may sign in a day; \`order refund\` sends it back`,
			]
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
	{
		state,
		payoutId,
		dust,
		setAside,
		asset,
		amount,
	}: Pick<DepositRow, 'state' | 'payoutId' | 'dust' | 'setAside' | 'asset' | 'amount'>,
) {
	if (state !== 'final' || payoutId !== null || dust) return [];
	const deposit = `a deposit of ${coins(asset, amount)} ${asset}`;
	if (deletedAt !== null) return [`${deposit} to a deleted order waits for its refund`];
	if (setAside) return [`${deposit} was set aside when the order was finalised and waits for its refund`];
	if (status === 'EXPIRED') return [`${deposit} to an order that has expired waits for its refund`];
	return status === 'EXCHANGE' || status === 'DONE'
		? [`${deposit} came after the payout began and waits for its refund`]
		: [];
}
