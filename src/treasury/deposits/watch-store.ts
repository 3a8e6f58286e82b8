/** Which orders' addresses a poll queries, and what is on record of these orders, in D1. */
import { and, eq, getTableColumns, ne, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { NetworkName } from '../../catalog/networks.ts';
import type { WatchedOnes } from '../../chains/port.ts';
import { chunks, inJson } from '../../d1/lists.ts';
import { deposits, orders } from '../../orders/table.ts';
import { transactions } from '../table.ts';

/** An order is in every poll for this long after its window closed: payers are seldom later. */
const RECENT_MILLISECONDS = 2 * 3_600_000;
const DAY_MILLISECONDS = 24 * 3_600_000;
/**
 * Each order of the second and third class is in one of this many polls, as in the indexes of
 * migrations/0010_watch.sql.
 */
const DAY_POLLS = 10;
export const ALL_POLLS = 100;
/** Orders that one query reads. */
export const PER_QUERY = 5_000;

export interface WatchQuery {
	readonly network: NetworkName;
	/** Unix milliseconds of the last poll that worked; where there was none, now. */
	readonly since: number;
	/** Counts polls. It decides which of the older addresses are due. */
	readonly poll: number;
	/** What the family asked for; undefined for everything that is watched. */
	readonly which?: WatchedOnes | undefined;
}

export type WatchedOrder = Pick<
	typeof orders.$inferSelect,
	'id' | 'payInAddress' | 'payInIndex' | 'fromAsset' | 'expiresAt' | 'dustCount' | 'dustSum'
>;

/**
 * The classes of `watch-list.ts`. The conditions repeat those of the indexes. SQL compares times and never calculates
 * with them, because D1 binds numbers as floats.
 */
export function classesOf({ network, since, poll, which }: WatchQuery): SQL[] {
	const here = sql`${orders.fromNetwork} = ${network} and ${orders.watchUntil} > ${since}`;
	if (which === undefined) return [here];
	if (which !== 'in turn') {
		return chunks(which).map((part) => sql`${here} and ${orders.payInAddress} in ${inJson(part)}`);
	}
	const recent = since - RECENT_MILLISECONDS;
	const dayOld = since - DAY_MILLISECONDS;
	const isDue = (polls: number) => sql`${orders.payInIndex} % ${sql.raw(String(polls))} = ${poll % polls}`;
	return [
		sql`${here} and ${orders.expiresAt} > ${recent}`,
		sql`${here} and ${orders.status} in ('PENDING', 'EMERGENCY')`,
		sql`${here} and ${isDue(DAY_POLLS)} and ${orders.expiresAt} > ${dayOld} and +${orders.expiresAt} <= ${recent}`,
		sql`${here} and ${isDue(ALL_POLLS)} and ${orders.expiresAt} <= ${dayOld}`,
	];
}

/** The youngest first. The plus keeps SQLite from choosing an index for this order instead of the condition's index. */
export function ordersOf(db: DrizzleD1Database, which: SQL, last: Pick<WatchedOrder, 'id' | 'expiresAt'> | undefined) {
	const { id, payInAddress, payInIndex, fromAsset, expiresAt, dustCount, dustSum } = orders;
	const further = last && sql`(+${expiresAt}, ${id}) < (${last.expiresAt}, ${last.id})`;
	return db
		.select({ id, payInAddress, payInIndex, fromAsset, expiresAt, dustCount, dustSum })
		.from(orders)
		.where(and(which, further))
		.orderBy(sql`+${expiresAt} desc, ${id} desc`)
		.limit(PER_QUERY);
}

export const knownDeposits = (db: DrizzleD1Database, orderIds: readonly string[]) =>
	db
		.select(getTableColumns(deposits))
		.from(deposits)
		.where(and(sql`${deposits.orderId} in ${inJson(orderIds)}`, ne(deposits.state, 'gone')));

/** `dust = 0` is literal, for the partial index. */
export const knownBesidesDust = (db: DrizzleD1Database, orderIds: readonly string[]) =>
	db
		.select(getTableColumns(deposits))
		.from(deposits)
		.where(and(sql`${deposits.orderId} in ${inJson(orderIds)}`, sql`${deposits.dust} = 0`, ne(deposits.state, 'gone')));

/** Final sweeps only: when a reorganisation undoes a sweep, its coins must not be taken for a new deposit. */
export const finalSweeps = (db: DrizzleD1Database, network: NetworkName, addresses: readonly string[]) =>
	db
		.select()
		.from(transactions)
		.where(
			and(
				eq(transactions.network, network),
				sql`${transactions.payInAddress} in ${inJson(addresses)}`,
				// Literal, for the partial index.
				sql`${transactions.kind} in ('gas', 'sweep') and ${transactions.kind} = 'sweep' and ${transactions.state} = 'final'`,
			),
		);
