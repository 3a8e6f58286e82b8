/**
 * Orders that wait for a person (`order list --attention`). `waiting` finds the orders in D1. `attentionReasons` says
 * why each order waits, one line per reason. The two must agree: change both together.
 */
import { type SQL, sql } from 'drizzle-orm';
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';
import { deepestConfirmations } from '../../chains/finality.ts';
import { type DepositRow, deposits, type OrderRow, orders } from '../../orders/table.ts';
import { byIndex } from '../../platform/d1/by-index.ts';
import { isoTime, MINUTE_MILLISECONDS } from '../../platform/time.ts';
import { screenings } from '../../treasury/screening/table.ts';
import { type Stored, saidText } from '../../treasury/screening/verdict.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { isDead } from '../../treasury/transactions/blocked.ts';
import { reasonSaysWayOut } from '../../treasury/transactions/stop-reason.ts';
import { blockedText, isLetThrough, type Switches, waitReason } from '../../treasury/transactions/wait-reason.ts';
import { ONLY_SAFE } from './doubted.ts';
import { payByHand } from './pay-by-hand.ts';
import { coins } from './record.ts';

/** An order or a transaction that has not moved for this long is slow. */
const SLOW_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

/**
 * The condition on `orders`. One list of ids, so that D1 reads the few that wait by index and does not scan all; each
 * part repeats the words of the partial index that serves it. Other conditions on `orders` beside it must not be ones
 * that an index serves. The `+` keeps the index of all orders' transactions out.
 */
export const waiting = (now: number): SQL => sql`${orders.id} in (
	select ${orders.id} from ${byIndex(orders, 'orders_moving')}
	where ${orders.status} in ('PENDING', 'EMERGENCY') and ${orders.status} = 'EMERGENCY' and ${orders.deletedAt} is null
	union all
	select ${orders.id} from ${byIndex(orders, 'orders_moving')}
	where ${orders.status} in ('PENDING', 'EMERGENCY') and ${orders.status} = 'PENDING' and ${orders.deletedAt} is null
		and (${orders.updatedAt} < ${now - SLOW_MILLISECONDS}
			or exists (select 1 from ${deposits} where ${deposits.orderId} = ${orders.id} and ${deposits.state} = 'gone')
			or exists (select 1 from ${screenings} where ${screenings.orderId} = ${orders.id} and ${screenings.verdict} <> 'accept'))
	union all
	select order_id from (${waitingTransactions(now)}) where +order_id is not null
	union all
	select ${deposits.orderId} from ${byIndex(deposits, 'deposits_unclaimed')} join ${orders} on ${orders.id} = ${deposits.orderId}
	where ${deposits.state} = 'final' and ${deposits.payoutId} is null and ${deposits.dust} = 0
		and (${deposits.setAside} = 1 or ${orders.deletedAt} is not null or ${orders.status} in ('EXCHANGE', 'DONE', 'EXPIRED'))
	union all
	select ${orders.id} from ${byIndex(orders, 'orders_refund_asked')} where ${orders.refundAskedAt} is not null and ${orders.deletedAt} is null
)`;

/** A select of its own, because D1 takes five terms of a union at most. */
const waitingTransactions = (now: number): SQL => sql`
	select ${transactions.orderId} as order_id from ${byIndex(transactions, 'transactions_blocked')} where ${transactions.blockedKind} is not null
	union all
	select ${transactions.orderId} from ${byIndex(transactions, 'transactions_waiting')} where ${transactions.waitsKind} is not null
	union all
	select ${transactions.orderId} from ${byIndex(transactions, 'transactions_open')} where ${transactions.state} <> 'final' and ${transactions.state} in ('planned', 'signed')
		and (${transactions.plannedAt} < ${now - SLOW_MILLISECONDS} or not ${isLetThrough})`;

type Order = Pick<
	OrderRow,
	| 'id'
	| 'status'
	| 'emergencyReasons'
	| 'emergencyChoice'
	| 'deletedAt'
	| 'fromNetwork'
	| 'updatedAt'
	| 'refundAskedAt'
	| 'refundAskedBy'
>;
type Deposit = Pick<DepositRow, 'txId' | 'state' | 'payoutId' | 'dust' | 'setAside' | 'asset' | 'amount'>;
interface Facts {
	readonly deposits: readonly Deposit[];
	readonly transactions: readonly Transaction[];
	/** The stored verdicts about deposits and addresses. */
	readonly screened: readonly Stored[];
}
type Transaction = Pick<
	TransactionRow,
	'id' | 'orderId' | 'kind' | 'amount' | 'plannedAt' | 'network' | 'toAddress' | 'finalAt'
> &
	Parameters<typeof waitReason>[0];

/** Pure; `now` in Unix milliseconds. Empty while the order needs nobody. */
export function attentionReasons(
	order: Order,
	facts: Facts,
	switches: Switches,
	{ now, isDoubted = false }: { readonly now: number; readonly isDoubted?: boolean },
): string[] {
	const reasons = [
		...orderReasons(order, facts, now),
		...facts.transactions.flatMap((transaction) => transactionReason(transaction, switches, now)),
	];
	return isDoubted && reasons.length > 0 ? [DOUBTED] : reasons;
}

/** Instead of all that could be done otherwise. */
export const DOUBTED = `it is older than the restore, or the loss, of the signer's journal, and may have been paid: ${ONLY_SAFE}`;

/** The same without the reasons of its transactions. */
export function orderReasons(order: Order, facts: Facts, now: number): string[] {
	const isGivenUp = order.status === 'EXCHANGE' && !facts.transactions.some(({ kind }) => kind === 'payout');
	return [
		...askedReason(order, facts),
		...emergencyReason(order, facts),
		...pendingReason(order, facts, now),
		...facts.deposits.flatMap((deposit) => depositReason(order, deposit, isGivenUp)),
	];
}

/** A payout that is planned is taken back before; one that is signed is past asking. */
function askedReason(
	{ id, refundAskedAt, refundAskedBy, deletedAt }: Order,
	{ transactions: ofOrder }: Facts,
): string[] {
	if (refundAskedAt === null || deletedAt !== null) return [];
	const asked = `the ${refundAskedBy} asked for a refund at ${isoTime(refundAskedAt)}`;
	const open = ofOrder.find(({ state }) => state === 'planned' || state === 'signed');
	if (open?.state === 'signed') return [];
	return open
		? [
				`${asked}; the payout is not signed yet: \`payout give-up ${open.id} --reason R\` takes it back, then \`order refund ${id}\``,
			]
		: [`${asked}: \`order refund ${id}\``];
}

/** An order is normally PENDING for a few blocks. One that takes several times as long is listed. */
function pendingReason(order: Order, facts: Facts, now: number) {
	const { status, deletedAt, fromNetwork, updatedAt } = order;
	if (status !== 'PENDING' || deletedAt !== null) return [];
	const refund = refundText(facts);
	if (refund !== null) return [`PENDING: ${refund}`];
	if (screeningHolds(order, facts)) return [`PENDING: ${holdText(facts)}`];
	const counted = facts.deposits.filter(({ dust }) => !dust);
	if (counted.length > 0 && counted.every(({ state }) => state === 'gone')) {
		return [
			'PENDING: its deposit was dropped, from mempool or chain; unless it is seen again, the order is EXPIRED after 24 hours',
		];
	}
	const age = now - updatedAt;
	const minutes = Math.floor(age / 60_000);
	const isSeen = counted.some(({ state }) => state === 'seen');
	if (isSeen && age > slowFinality(fromNetwork))
		return [
			`PENDING: its deposit is not final after ${minutes} minutes; a low fee, or a node that has stopped following`,
		];
	return !isSeen && age > SLOW_MILLISECONDS
		? [
				`PENDING: its deposit is final and was not settled for ${minutes} minutes; a coin without a fresh price (\`price list\`)`,
			]
		: [];
}

/** Milliseconds: three times what the deepest confirmations of the network take. */
const slowFinality = (network: NetworkName): number =>
	Math.max(SLOW_MILLISECONDS, 3_000 * deepestConfirmations(network) * networkNamed(network).blockSeconds);

function emergencyReason(order: Order, facts: Facts) {
	const { status, emergencyReasons, emergencyChoice, deletedAt } = order;
	if (status !== 'EMERGENCY' || deletedAt !== null) return [];
	const why = emergencyReasons.join(', ');
	const refund = refundText(facts);
	if (refund !== null) return [`EMERGENCY (${why}): ${refund}`];
	if (screeningHolds(order, facts)) return [`EMERGENCY (${why}): ${holdText(facts)}`];
	return emergencyChoice === 'EXCHANGE'
		? [
				`EMERGENCY (${why}): exchange was chosen and cannot begin: no fresh price, nothing would be left to pay, or worth more than the signer may sign in a day; \`order refund ${order.id}\` sends it back`,
			]
		: [
				`EMERGENCY (${why}): waits for the partner's choice or a refund; after the decisionHours of \`site show\` it goes back by itself`,
			];
}

/** Null where none is under way. */
function refundText({ transactions: ofOrder }: Facts): string | null {
	const refund = ofOrder.find(({ kind, state }) => kind === 'refund' && (state === 'planned' || state === 'signed'));
	if (!refund) return null;
	const what = `${coins(refund.asset, refund.amount)} ${refund.asset}`;
	return `its refund of ${what} is ${refund.state} since ${isoTime(refund.plannedAt)}`;
}

const holdText = (facts: Facts): string => `screening holds it: ${notAccepted(facts).map(saidText).join('; ')}`;

/** A verdict about a deposit that is paid for or sent back already is over. */
const notAccepted = ({ screened, deposits: ofOrder }: Facts): Stored[] =>
	screened.filter(
		({ verdict, subject, txId }) =>
			verdict !== 'accept' &&
			(subject !== 'deposit' || ofOrder.some((deposit) => deposit.txId === txId && deposit.payoutId === null)),
	);

/** Does screening, or the operator instead of it, hold or send back an order that waits? */
export const screeningHolds = ({ status }: Pick<Order, 'status'>, facts: Facts): boolean =>
	(status === 'PENDING' || status === 'EMERGENCY') && notAccepted(facts).length > 0;

function transactionReason(transaction: Transaction, switches: Switches, now: number): string[] {
	const { id, orderId, kind, state, plannedAt } = transaction;
	const blocked = blockedText(transaction);
	// A payment that was never signed can be taken back. A signed one is sent, or settled by hand.
	const giveUp = `\`payout give-up ${id} --reason R\``;
	const wayOut =
		state === 'planned' && !reasonSaysWayOut(transaction)
			? `; if it cannot be made: ${giveUp}, then \`order refund ${orderId}\``
			: '';
	const byHand = isDead(transaction) ? `; ${payByHand(transaction)}` : '';
	if (blocked !== null) return [`the ${kind} is blocked: ${blocked}${wayOut}${byHand}`];
	const why = waitReason(transaction, switches);
	if (why)
		return [`the ${kind} waits${why.since === null ? '' : ` since ${isoTime(why.since)}`}: ${why.because}${wayOut}`];
	const age = now - plannedAt;
	const isSlow = (state === 'planned' || state === 'signed') && age > SLOW_MILLISECONDS;
	return isSlow ? [`the ${kind} is still ${state} after ${Math.floor(age / 60_000)} minutes`] : [];
}

function depositReason(
	{ id, status, deletedAt }: Order,
	{ state, payoutId, dust, setAside, asset, amount }: Deposit,
	isGivenUp: boolean,
) {
	if (state !== 'final' || payoutId !== null || dust) return [];
	const deposit = `a deposit of ${coins(asset, amount)} ${asset}`;
	if (deletedAt !== null) return [`${deposit} to a deleted order waits for its refund`];
	if (setAside) return [`${deposit} was set aside when the order was finalised and waits for its refund`];
	if (isGivenUp) return [`${deposit}, of which the payout was given up, waits for \`order refund ${id}\``];
	if (status === 'EXPIRED') return [`${deposit} to an order that has expired waits for its refund`];
	return status === 'EXCHANGE' || status === 'DONE'
		? [`${deposit} came after the payout began and waits for its refund`]
		: [];
}
