/**
 * The reads and writes of settling, of orders and deposits. Conditions of partial indexes are literal: SQLite uses such
 * an index only where the query repeats them.
 */
import { and, eq, isNotNull, isNull, lt, not, or, type SQL, sql } from 'drizzle-orm';
import type { NetworkName } from '../../catalog/networks.ts';
import type { SettledDeposit } from '../../orders/seal.ts';
import { type DepositRow, deposits, type OrderRow, orderChanges, orders } from '../../orders/table.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { type ScreeningRow, screenings } from '../screening/table.ts';
import { type TransactionRow, transactions } from '../table.ts';

/** Most orders of each kind below that one poll takes; the next poll takes the rest. */
const DUE_LIMIT = 200;

export interface DueOrders {
	readonly ids: readonly string[];
	/** Those of them about whose deposits nobody has decided in time, or whose dust is left (`undecided.ts`). */
	readonly undecided: readonly string[];
	/** Those of which somebody asked for a refund that may go back by itself, where the operator lets it. */
	readonly asked: readonly string[];
}

/**
 * Orders that may move although no deposit has just changed: the window closed, all deposits were dropped, a choice was
 * made, or a deposit changed and was not judged yet, because the poll that recorded it crashed or had no price. And those
 * whose deposits wait for a decision since before `undecidedBefore`.
 */
export async function dueOrders(
	db: Db,
	network: NetworkName,
	now: number,
	undecidedBefore: number | null,
): Promise<DueOrders> {
	// The plus keeps the index of the network's orders out: the few deposits lead to theirs.
	const isUnjudged = sql`${deposits.lastSeenAt} > ${orders.factsAt} AND ${orders.deletedAt} IS NULL
		AND ${orders.status} IN ('NEW', 'PENDING', 'EXPIRED', 'EMERGENCY') AND +${orders.fromNetwork} = ${network}`;
	const isUnclaimed = sql`${deposits.state} = 'final' AND ${deposits.payoutId} IS NULL AND ${deposits.dust} = 0`;
	const isOpen = sql`${deposits.network} = ${network} AND ${deposits.state} <> 'final'`;
	const isMoving = sql`${orders.status} IN ('PENDING', 'EMERGENCY')`;
	// Dust keeps no order waiting for a deposit that was dropped.
	const isThere = sql`exists (select 1 from ${deposits}
		where ${deposits.orderId} = ${orders.id} and ${deposits.state} <> 'gone' and ${deposits.dust} = 0)`;
	// The deposits that no dust is lead to what is unjudged, but dust may be all that changed.
	const hasNewDust = sql`exists (select 1 from ${deposits} where ${deposits.orderId} = ${orders.id}
		and ${deposits.dust} = 1 and ${deposits.lastSeenAt} > ${orders.factsAt})`;
	const here = and(eq(orders.fromNetwork, network), isNull(orders.deletedAt));
	const id = { id: orders.id };
	const ofDeposits = (index: string, which: SQL) =>
		db
			.selectDistinct(fromIndex(id))
			.from(byIndex(deposits, index))
			.innerJoin(orders, eq(orders.id, deposits.orderId))
			.where(and(which, isUnjudged))
			.orderBy(sql`random()`)
			.limit(DUE_LIMIT);
	// In random order: those that cannot move yet stay due, and must not keep the others out.
	const moving = (mayMove: SQL | undefined) =>
		db
			.select(fromIndex(id))
			.from(byIndex(orders, 'orders_moving'))
			.where(and(here, isMoving, mayMove))
			.orderBy(sql`random()`)
			.limit(DUE_LIMIT);
	const [asked, undecided, dusty, ...found] = await db.batch([
		askedOrders(db, network),
		undecidedOrders(db, network, undecidedBefore ?? 0),
		ordersWithDustLeft(db, network, undecidedBefore === null ? 0 : now),
		ofDeposits('deposits_unclaimed', isUnclaimed),
		ofDeposits('deposits_open', isOpen),
		db
			.select(fromIndex(id))
			.from(byIndex(orders, 'orders_unfunded'))
			.where(and(here, sql`${orders.status} = 'NEW'`, lt(orders.expiresAt, now)))
			.orderBy(orders.expiresAt)
			.limit(DUE_LIMIT),
		moving(and(eq(orders.status, 'PENDING'), not(isThere))),
		moving(or(isNotNull(orders.emergencyChoice), hasNewDust)),
	]);
	const idsOf = (rows: readonly { readonly id: string }[]) => rows.map((row) => row.id);
	const waited = [...undecided, ...dusty];
	return { ids: idsOf([...waited, ...found.flat()]), undecided: idsOf(waited), asked: idsOf(asked) };
}

/**
 * A deposit waits since it became final or its transaction was given up; that of an EMERGENCY order since the choice, or
 * since it was EMERGENCY.
 */
const undecidedOrders = (db: Db, network: NetworkName, before: number) =>
	db
		.selectDistinct(fromIndex({ id: orders.id }))
		.from(byIndex(deposits, 'deposits_unclaimed'))
		.innerJoin(orders, eq(orders.id, deposits.orderId))
		.where(
			sql`${deposits.state} = 'final' and ${deposits.payoutId} is null and ${deposits.dust} = 0
				and ${deposits.network} = ${network} and ${deposits.lastSeenAt} <= ${before}
				and (${orders.status} <> 'EMERGENCY' or ${orders.deletedAt} is not null or coalesce(${orders.chosenAt},
					(select ${orderChanges.at} from ${orderChanges} where ${orderChanges.orderId} = ${orders.id}
						and ${orderChanges.sequence} = ${orders.sequence})) <= ${before})`,
		)
		.orderBy(sql`random()`)
		.limit(DUE_LIMIT);

/**
 * A payout that is planned keeps its fixed rate, so only the operator takes it back. A choice of EXCHANGE, and what the
 * operator finalised, stay decided too.
 */
const askedOrders = (db: Db, network: NetworkName) =>
	db
		.select(fromIndex({ id: orders.id }))
		.from(byIndex(orders, 'orders_refund_asked'))
		.where(
			sql`${orders.refundAskedAt} is not null and ${orders.fromNetwork} = ${network} and ${orders.deletedAt} is null
				and ${orders.status} in ('EMERGENCY', 'EXCHANGE', 'DONE') and ${orders.emergencyChoice} is null
				and not exists (select 1 from ${transactions} where ${transactions.orderId} = ${orders.id}
					and ${transactions.state} in ('planned', 'signed'))`,
		)
		.orderBy(sql`random()`)
		.limit(DUE_LIMIT);

/** After an outage that is longer, what is left of dust stays with its order, for `order refund`. */
const DUST_LEFT_MILLISECONDS = 7 * DAY_MILLISECONDS;

/** Orders that have ended and whose address is watched no more: no deposit comes with which their dust would count. */
const ordersWithDustLeft = (db: Db, network: NetworkName, until: number) =>
	db
		.selectDistinct(fromIndex({ id: orders.id }))
		.from(byIndex(orders, 'orders_with_dust'))
		.where(
			sql`${orders.dustCount} > 0 and ${orders.fromNetwork} = ${network}
				and ${orders.watchUntil} <= ${until} and ${orders.watchUntil} > ${until - DUST_LEFT_MILLISECONDS}
				and (${orders.status} in ('DONE', 'EXPIRED') or ${orders.deletedAt} is not null)
				and exists (select 1 from ${deposits} where ${deposits.orderId} = ${orders.id} and ${deposits.state} = 'final'
					and ${deposits.payoutId} is null)
				and not exists (select 1 from ${deposits} where ${deposits.orderId} = ${orders.id} and ${deposits.state} = 'final'
					and ${deposits.payoutId} is null and ${deposits.dust} = 0)`,
		)
		.orderBy(sql`random()`)
		.limit(DUE_LIMIT);

export interface Loaded {
	readonly order: OrderRow;
	readonly rows: readonly DepositRow[];
	/** The answers about them and about the order's addresses. */
	readonly screened: readonly ScreeningRow[];
}

export async function loadOrders(db: Db, ids: readonly string[]): Promise<Loaded[]> {
	const among = inJson(ids);
	const [rows, depositRows, screeningRows] = await db.batch([
		db.select().from(orders).where(sql`${orders.id} in ${among}`),
		db.select().from(deposits).where(sql`${deposits.orderId} in ${among}`),
		db.select().from(screenings).where(sql`${screenings.orderId} in ${among}`),
	]);
	const byOrder = Map.groupBy(depositRows, ({ orderId }) => orderId);
	const screenedByOrder = Map.groupBy(screeningRows, ({ orderId }) => orderId);
	return rows.map((order) => ({
		order,
		rows: byOrder.get(order.id) ?? [],
		screened: screenedByOrder.get(order.id) ?? [],
	}));
}

const isUnclaimed = (orderId: string): SQL | undefined =>
	and(eq(deposits.orderId, orderId), eq(deposits.state, 'final'), isNull(deposits.payoutId));

/** Final deposits of the order that no payout or refund pays for. */
export const unclaimedDeposits = (db: Db, orderId: string): Promise<DepositRow[]> =>
	db.select().from(deposits).where(isUnclaimed(orderId));

/** Marks exactly these deposits as paid for by the payout or refund, and none that becomes final meanwhile. */
export function claimDeposits(db: Db, orderId: string, payoutId: string, claimed: readonly SettledDeposit[]) {
	const refs = JSON.stringify(claimed.map(({ txId, position, address }) => [txId, position, address]));
	const isNamed = sql`exists (select 1 from json_each(${refs}) where value ->> 0 = ${deposits.txId}
		and value ->> 1 = ${deposits.position} and value ->> 2 = ${deposits.address})`;
	const isFree = and(isUnclaimed(orderId), isNamed);
	return db.update(deposits).set({ payoutId }).where(isFree);
}

/**
 * Sets aside every deposit on record, also those in the mempool and dropped ones: from now on they are only for
 * `order refund`. It is a statement of the batch that finalises the order, so what is recorded afterwards is a later
 * deposit.
 */
export const setDepositsAside = (db: Db, orderId: string): Statement =>
	db.update(deposits).set({ setAside: true }).where(eq(deposits.orderId, orderId));

/**
 * For a payout or refund that is given up, where `when` holds: its deposits are free for `order refund`. From now on they
 * wait for a decision.
 */
export const freeDeposits = (db: Db, { id, orderId }: TransactionRow, when: SQL, now: number): Statement[] => {
	const isPaidFor = and(eq(deposits.orderId, orderId ?? ''), eq(deposits.payoutId, id), when);
	const waits = and(eq(orders.id, orderId ?? ''), eq(orders.status, 'PENDING'), when);
	return [
		db.update(deposits).set({ payoutId: null, lastSeenAt: now }).where(isPaidFor),
		// Nothing else makes a PENDING order be judged again.
		db.update(orders).set({ factsAt: 0 }).where(waits),
	];
};
