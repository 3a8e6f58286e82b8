/**
 * Coins that came to addresses of ours and belong to no order, as one sum per asset: what a wallet listed
 * (`unattributed.ts`), and what came to pay-in addresses beyond their orders' deposits (`overflows.ts`). What a sweep
 * has not brought to the hot wallet yet is open.
 */
import { count, eq, sql } from 'drizzle-orm';
import type { AssetId } from '../../catalog/assets.ts';
import { orders } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { exactSum } from '../../platform/d1/exact-sum.ts';
import { overflows, unattributed } from '../ledger/table.ts';
import { DUST_PER_ORDER } from './watch-list.ts';

export interface OfNoOrder {
	readonly asset: AssetId;
	readonly counted: bigint;
	readonly open: bigint;
	/** The part of `counted` that is booked as reserve. */
	readonly booked: bigint;
	/** Unix milliseconds of the last that came. */
	readonly at: number;
}

/** Two statements of a batch, whose answers `sumsOfNoOrder` joins. */
export const readOfNoOrder = (db: Db) =>
	[
		db.select().from(unattributed),
		db
			.select({
				asset: overflows.asset,
				counted: exactSum(overflows.counted),
				swept: exactSum(overflows.swept),
				at: sql<number>`max(${overflows.at})`,
			})
			.from(overflows)
			.groupBy(overflows.asset),
	] as const;

/**
 * Coins that lie at pay-in addresses and that no poll records: at those of archived orders, and dust beyond what is
 * recorded. By asset, with the order of the newest. A statement of a batch.
 */
export const readLying = (db: Db) => {
	const isArchived = sql<number>`${orders.id} is null`;
	return db
		.select({
			asset: overflows.asset,
			isArchived,
			orderId: overflows.orderId,
			addresses: count(),
			counted: exactSum(overflows.counted),
			swept: exactSum(overflows.swept),
			// SQLite takes the other columns from the row with the highest.
			at: sql<number>`max(${overflows.at})`,
		})
		.from(overflows)
		.leftJoin(orders, eq(orders.id, overflows.orderId))
		.where(
			sql`counted <> swept and (${orders.id} is null or ${orders.dustCount} >= ${sql.raw(String(DUST_PER_ORDER))})`,
		)
		.groupBy(overflows.asset, isArchived);
};

type Listed = Awaited<ReturnType<typeof readOfNoOrder>[0]>;
type Overflown = Awaited<ReturnType<typeof readOfNoOrder>[1]>;

export function sumsOfNoOrder(listed: Listed, overflown: Overflown): OfNoOrder[] {
	const assets = new Set([...listed, ...overflown].map(({ asset }) => asset));
	return [...assets].map((asset) => {
		const row = listed.find((each) => each.asset === asset);
		const over = overflown.find((each) => each.asset === asset);
		const [counted, swept] = [over?.counted ?? 0n, over?.swept ?? 0n];
		return {
			asset,
			counted: BigInt(row?.counted ?? 0) + swept,
			open: BigInt(row?.open ?? 0) + counted - swept,
			booked: BigInt(row?.booked ?? 0),
			at: Math.max(row?.at ?? 0, over?.at ?? 0),
		};
	});
}

/** The sum that can be booked as reserve, base units; not what may still become a deposit, be undone or is to be swept. */
export const bookableOf = ({ counted, booked }: OfNoOrder): bigint => counted - booked;

export async function ofNoOrder(db: Db, asset: AssetId): Promise<OfNoOrder | null> {
	const [listed, overflown] = await db.batch(readOfNoOrder(db));
	return sumsOfNoOrder(listed, overflown).find((each) => each.asset === asset) ?? null;
}

/** Has nobody booked any of it meanwhile? */
export const isBookedStill = ({ asset, booked }: OfNoOrder) =>
	sql`coalesce((select ${unattributed.booked} from ${unattributed} where ${unattributed.asset} = ${asset}), '0') = ${booked.toString()}`;

/** Marks so much more as booked where that still holds: then it answers with a row. */
export const markBooked = (db: Db, sum: OfNoOrder, amount: bigint) => {
	const booked = (sum.booked + amount).toString();
	return db
		.insert(unattributed)
		.select(sql`select ${sum.asset}, '0', '0', ${booked}, ${sum.at} where ${isBookedStill(sum)}`)
		.onConflictDoUpdate({
			target: unattributed.asset,
			set: { booked },
			setWhere: eq(unattributed.booked, sum.booked.toString()),
		})
		.returning({ asset: unattributed.asset });
};
