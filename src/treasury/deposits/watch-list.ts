/**
 * Which pay-in addresses a look names to the chain, for the families that must name each one. Every address is watched
 * until its order's time is over. To a family that asks for them in turn, the older one is the more seldom it is named,
 * so that a look costs what is open now and not what was ordered in a month:
 *
 * - each look: orders that wait for their deposit, whose window closed within `RECENT_MILLISECONDS`, or that may move;
 * - one look in ten: those whose window closed within a day;
 * - one look in a hundred: all others, until `watch_until`.
 *
 * Nobody is late because he was looked at in turn: how old an order is, is judged as of the last look that worked, so
 * that all who were in time until then are in the first class, also after an outage. What is found later than that came
 * after the window closed, whichever look finds it.
 */
import { and, eq, getTableColumns, ne, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { NetworkName } from '../../catalog/networks.ts';
import type { DepositRef, WatchedAddress, WatchedOnes } from '../../chains/port.ts';
import { storedSum } from '../../d1/exact-sum.ts';
import { log } from '../../log.ts';
import { type DepositRow, deposits, orders } from '../../orders/table.ts';
import { type FeePayer, takenFrom } from '../ledger/reserve-rules.ts';
import { transactions } from '../table.ts';

/** After its window closed an order is still looked at each time for this long: payers are seldom later. */
const RECENT_MILLISECONDS = 2 * 3_600_000;
const DAY_MILLISECONDS = 24 * 3_600_000;
/** Looks in which each of the second and of the third class is named once; as in the indexes of migrations/0010_watch.sql. */
const DAY_LOOKS = 10;
const LOOKS = 100;
/** Orders that one query reads, and values that it names: answer and list stay within what D1 takes. */
const PER_QUERY = 5_000;
/**
 * Dust deposits that are recorded of one order. They cost whoever sends them next to nothing, and us a row each; what
 * comes after them stays in the wallet and off the books.
 */
export const DUST_PER_ORDER = 100;
/** Pages of each class; above this many orders the oldest of the class are left out. */
const MAX_PAGES = 40;

export interface Turn {
	readonly network: NetworkName;
	/** Unix milliseconds of the last look that worked; where there was none, now. */
	readonly since: number;
	/** Counts looks; which of the older addresses are due follows from it. */
	readonly look: number;
	/** What the family asked for; all that are watched where it did not say. */
	readonly which?: WatchedOnes | undefined;
	/** Who pays for a sweep; nobody where nothing is swept. */
	readonly feePayer?: FeePayer | undefined;
}

type Watched = Pick<
	typeof orders.$inferSelect,
	'id' | 'payInAddress' | 'payInIndex' | 'fromAsset' | 'expiresAt' | 'dustCount' | 'dustSum'
>;

/** The addresses that this look names, each with what is on record for it. */
export async function watchedAddresses(db: DrizzleD1Database, turn: Turn): Promise<WatchedAddress[]> {
	const found = new Map<string, WatchedAddress>();
	for (const which of classesOf(turn)) {
		let last: Watched | undefined;
		for (let page = 0; page < MAX_PAGES; page++) {
			const rows = await ordersOf(db, which, last);
			const fresh = rows.filter(({ id }) => !found.has(id));
			for (const [id, address] of await withRecord(db, turn, fresh)) found.set(id, address);
			last = rows.at(-1);
			if (rows.length < PER_QUERY) break;
			if (page === MAX_PAGES - 1) log('watch_cut', { network: turn.network, addresses: found.size });
		}
	}
	return [...found.values()];
}

/** Conditions in the words of the indexes; bounds of time are compared and never added to: D1 binds numbers as floats. */
export function classesOf({ network, since, look, which }: Turn): SQL[] {
	const here = sql`${orders.fromNetwork} = ${network} and ${orders.watchUntil} > ${since}`;
	if (which === undefined) return [here];
	if (which !== 'in turn') {
		return chunks(which).map((part) => sql`${here} and ${orders.payInAddress} in ${inJson(part)}`);
	}
	const recent = since - RECENT_MILLISECONDS;
	const dayOld = since - DAY_MILLISECONDS;
	const isDue = (looks: number) => sql`${orders.payInIndex} % ${sql.raw(String(looks))} = ${look % looks}`;
	return [
		sql`${here} and ${orders.expiresAt} > ${recent}`,
		sql`${here} and ${orders.status} in ('PENDING', 'EMERGENCY')`,
		sql`${here} and ${isDue(DAY_LOOKS)} and ${orders.expiresAt} > ${dayOld} and +${orders.expiresAt} <= ${recent}`,
		sql`${here} and ${isDue(LOOKS)} and ${orders.expiresAt} <= ${dayOld}`,
	];
}

/** The youngest first. A plus keeps SQLite from taking the index that has this order instead of the one that fits. */
export function ordersOf(db: DrizzleD1Database, which: SQL, last: Pick<Watched, 'id' | 'expiresAt'> | undefined) {
	const { id, payInAddress, payInIndex, fromAsset, expiresAt, dustCount, dustSum } = orders;
	const further = last && sql`(+${expiresAt}, ${id}) < (${last.expiresAt}, ${last.id})`;
	return db
		.select({ id, payInAddress, payInIndex, fromAsset, expiresAt, dustCount, dustSum })
		.from(orders)
		.where(and(which, further))
		.orderBy(sql`+${expiresAt} desc, ${id} desc`)
		.limit(PER_QUERY);
}

/**
 * By order. One that is flooded with dust is named in turn whatever its age: not all that it holds is on record, and
 * the chain would have to explain it anew each time. So whoever floods an address makes his own order slow, and no other.
 *
 * To a family that asks in turn dust is told as one sum, which the order's own row has: recorded dust costs a look
 * nothing. Where an address holds more than is on record, the family asks for it by name, and is told each deposit.
 */
async function withRecord(
	db: DrizzleD1Database,
	{ network, look, which, feePayer }: Turn,
	watched: readonly Watched[],
): Promise<Map<string, WatchedAddress>> {
	const inTurn = which === 'in turn';
	const isDue = ({ dustCount, payInIndex }: Watched) =>
		!inTurn || dustCount < DUST_PER_ORDER || payInIndex % LOOKS === look % LOOKS;
	const due = watched.filter(isDue);
	if (due.length === 0) return new Map();
	const ids = due.map(({ id }) => id);
	const addresses = due.map(({ payInAddress }) => payInAddress);
	const records = inTurn ? knownBesidesDust(db, ids) : knownDeposits(db, ids);
	const [known, sweeps] = await db.batch([records, finalSweeps(db, network, addresses)]);
	const rows = Map.groupBy(known, ({ orderId }) => orderId);
	const swept = Map.groupBy(sweeps, ({ payInAddress }) => payInAddress);
	return new Map(
		due.map((order) => [
			order.id,
			{
				...{ address: order.payInAddress, asset: order.fromAsset },
				known: [...(rows.get(order.id) ?? []).map(refOf), ...(inTurn ? dustOf(order) : [])],
				swept: takenFrom(swept.get(order.payInAddress) ?? [], order.fromAsset, feePayer),
			},
		]),
	);
}

/** All dust of an order as if it were one deposit. */
function dustOf({ payInAddress: address, fromAsset: asset, dustSum }: Watched): DepositRef[] {
	const amount = storedSum(dustSum);
	return amount > 0n ? [{ txId: '', position: 'dust', address, asset, amount }] : [];
}

/** Parts of a list that one query takes. */
export function chunks(values: readonly string[]): string[][] {
	const parts = Math.ceil(values.length / PER_QUERY);
	return Array.from({ length: parts }, (_, i) => values.slice(i * PER_QUERY, (i + 1) * PER_QUERY));
}

export const inJson = (values: readonly string[]): SQL => sql`(select value from json_each(${JSON.stringify(values)}))`;

export const knownDeposits = (db: DrizzleD1Database, orderIds: readonly string[]) =>
	db
		.select(getTableColumns(deposits))
		.from(deposits)
		.where(and(sql`${deposits.orderId} in ${inJson(orderIds)}`, ne(deposits.state, 'gone')));

/** Literal, because SQLite takes a partial index only for the words that it was made with. */
export const knownBesidesDust = (db: DrizzleD1Database, orderIds: readonly string[]) =>
	db
		.select(getTableColumns(deposits))
		.from(deposits)
		.where(and(sql`${deposits.orderId} in ${inJson(orderIds)}`, sql`${deposits.dust} = 0`, ne(deposits.state, 'gone')));

/** Only what cannot come back any more: a sweep that a reorganisation undoes must not look like a deposit. */
export const finalSweeps = (db: DrizzleD1Database, network: NetworkName, addresses: readonly string[]) =>
	db
		.select()
		.from(transactions)
		.where(
			and(
				eq(transactions.network, network),
				sql`${transactions.payInAddress} in ${inJson(addresses)}`,
				// Literal, because SQLite takes a partial index only for the words that it was made with.
				sql`${transactions.kind} in ('gas', 'sweep') and ${transactions.kind} = 'sweep' and ${transactions.state} = 'final'`,
			),
		);

export const refOf = ({ txId, position, address, asset, amount }: DepositRow): DepositRef => ({
	txId,
	position,
	address,
	asset,
	amount: BigInt(amount),
});
