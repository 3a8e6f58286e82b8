/** Which orders' addresses a poll queries, and what is on record of these orders, in D1. */
import { and, eq, getTableColumns, ne, type SQL, sql } from 'drizzle-orm';
import type { NetworkName } from '../../catalog/networks.ts';
import type { WatchedOnes } from '../../chains/port.ts';
import { deposits, orders } from '../../orders/table.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import type { Db } from '../../platform/d1/database.ts';
import { chunks, inJson, isIn } from '../../platform/d1/lists.ts';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../platform/time.ts';
import { transactions } from '../table.ts';

/** An order is in every poll for this long after its window closed: payers are seldom later. */
const RECENT_MILLISECONDS = 2 * HOUR_MILLISECONDS;
/**
 * Each order of the second and third class is in one of this many polls, as in the indexes of
 * the schema.
 */
const DAY_POLLS = 10;
export const ALL_POLLS = 100;
/** Longer than any order is watched after its window closed, so that a poll reads none of the history. */
const LONGEST_MILLISECONDS = 31 * DAY_MILLISECONDS;
/** Orders that one query reads. */
export const PER_QUERY = 5_000;

export interface WatchQuery {
	readonly network: NetworkName;
	/** Unix milliseconds of the last poll that worked; where there was none, now. */
	readonly since: number;
	/** Counts polls. It decides which of the older addresses are due. */
	readonly poll: number;
	/** The addresses that the family asked for; undefined for all that are watched. */
	readonly which?: WatchedOnes | undefined;
}

export type WatchedOrder = Pick<
	typeof orders.$inferSelect,
	'id' | 'payInAddress' | 'payInIndex' | 'fromAsset' | 'expiresAt' | 'dustCount' | 'dustSum'
>;

/** Orders that a poll reads, and the index by which it finds them. */
export interface WatchClass {
	readonly index: string;
	readonly where: SQL;
	/** Orders that are wanted; undefined for all. */
	readonly most?: number;
}

/**
 * The classes of `watch-list.ts`. The conditions repeat those of the indexes. SQL compares times and never calculates
 * with them, because D1 binds numbers as floats.
 */
export function classesOf({ network, since, poll, which }: WatchQuery): WatchClass[] {
	const ofNetwork = sql`${orders.fromNetwork} = ${network}`;
	const here = sql`${ofNetwork} and ${orders.watchUntil} > ${since}`;
	const isYoung = sql`${orders.expiresAt} > ${since - LONGEST_MILLISECONDS}`;
	if (which === undefined) return [{ index: 'orders_watched', where: sql`${here} and ${isYoung}` }];
	if (which !== 'in turn' && 'anyOf' in which)
		return [
			{ index: 'orders_watched', where: sql`${here} and ${isYoung} and ${orders.fromAsset} = ${which.anyOf}`, most: 1 },
		];
	// However old the order is: what was paid to it is its deposit.
	if (which !== 'in turn') {
		return chunks(which).map((part) => ({
			index: ONE_AN_ADDRESS,
			where: sql`${ofNetwork} and ${orders.payInAddress} in ${inJson(part)}`,
		}));
	}
	const recent = since - RECENT_MILLISECONDS;
	const dayOld = since - DAY_MILLISECONDS;
	const isDue = (polls: number) => sql`${orders.payInIndex} % ${sql.raw(String(polls))} = ${poll % polls}`;
	// A look found coins there that are no deposit yet (`strays/find.ts`).
	const foundLate = {
		index: BY_ID,
		where: sql`${ofNetwork} and ${orders.watchUntil} <= ${since} and ${orders.id} in (
			select order_id from overflows where network = ${network} and counted <> swept)`,
	};
	return [
		...(poll % DAY_POLLS === 0 ? [foundLate] : []),
		{ index: 'orders_watched', where: sql`${here} and ${orders.expiresAt} > ${recent}` },
		{ index: 'orders_moving', where: sql`${here} and ${orders.status} in ('PENDING', 'EMERGENCY')` },
		{
			index: 'orders_watched_today',
			where: sql`${here} and ${isDue(DAY_POLLS)} and ${orders.expiresAt} > ${dayOld} and +${orders.expiresAt} <= ${recent}`,
		},
		{
			index: 'orders_watched_in_turn',
			where: sql`${here} and ${isDue(ALL_POLLS)} and ${orders.expiresAt} <= ${dayOld} and ${isYoung}`,
		},
	];
}

/** The names in SQLite of the primary key and of `UNIQUE (from_network, pay_in_address)`. */
const BY_ID = 'sqlite_autoindex_orders_1';
const ONE_AN_ADDRESS = 'sqlite_autoindex_orders_2';

/** The youngest first. The plus keeps SQLite from reading the index backwards, which would read what is not due. */
export function ordersOf(
	db: Db,
	{ index, where, most = PER_QUERY }: WatchClass,
	last: Pick<WatchedOrder, 'id' | 'expiresAt'> | undefined,
) {
	const { id, payInAddress, payInIndex, fromAsset, expiresAt, dustCount, dustSum } = orders;
	const further = last && sql`(+${expiresAt}, ${id}) < (${last.expiresAt}, ${last.id})`;
	return db
		.select(fromIndex({ id, payInAddress, payInIndex, fromAsset, expiresAt, dustCount, dustSum }))
		.from(byIndex(orders, index))
		.where(and(where, further))
		.orderBy(sql`+${expiresAt} desc, ${id} desc`)
		.limit(most);
}

export const knownDeposits = (db: Db, orderIds: readonly string[], which?: SQL) => {
	const isKnown = and(isIn(deposits.orderId, orderIds), which, ne(deposits.state, 'gone'));
	return db.select(getTableColumns(deposits)).from(deposits).where(isKnown);
};

/** `dust = 0` is literal, for the partial index. */
export const knownBesidesDust = (db: Db, orderIds: readonly string[]) =>
	knownDeposits(db, orderIds, sql`${deposits.dust} = 0`);

/** Gas for and sweeps of these addresses. Literal, for the partial index. */
export const movesAt = (db: Db, network: NetworkName, addresses: readonly string[]) => {
	const isThere = and(eq(transactions.network, network), isIn(transactions.payInAddress, addresses));
	return db.select().from(transactions).where(and(isThere, isMove));
};

const isMove = sql`${transactions.kind} in ('gas', 'sweep', 'token')`;
