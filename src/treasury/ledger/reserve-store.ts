/** Reserve on record, for the operator: how much there is, what came last, and what of it came back from where. */
import { desc, notInArray, type SQL, sql } from 'drizzle-orm';
import type { AssetId } from '../../catalog/assets.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { exactSum } from '../../platform/d1/exact-sum.ts';
import { reserveEntries } from './table.ts';
import { UNATTRIBUTED } from './wallet-store.ts';

/** The position of a reserve entry that `ledger adjust` made. */
export const ADJUSTMENT = 'adjustment';

export type ReserveEntry = typeof reserveEntries.$inferSelect;

/** All reserve that was ever booked, base units, and in the same rows what of it came back. */
export const reserveByOrigin = (db: Db) =>
	db
		.select({
			asset: reserveEntries.asset,
			returnedFrom: reserveEntries.returnedFrom,
			amount: exactSum(reserveEntries.amount),
		})
		.from(reserveEntries)
		.groupBy(reserveEntries.asset, reserveEntries.returnedFrom);

/** Coins that came to the hot wallets from outside: no entry that an operator made. */
const cameIn = notInArray(reserveEntries.position, [ADJUSTMENT, UNATTRIBUTED, 'stray']);

/** The newest first. */
export const lastArrivals = (db: Db, limit: number): Promise<ReserveEntry[]> =>
	db.select().from(reserveEntries).where(cameIn).orderBy(desc(reserveEntries.at)).limit(limit);

/** The entries of one transaction. */
export const arrivalsOf = (db: Db, asset: AssetId, txId: string): Promise<ReserveEntry[]> =>
	db.select().from(reserveEntries).where(isOf(asset, txId));

const isOf = (asset: AssetId, txId: string): SQL =>
	sql`${cameIn} and ${reserveEntries.asset} = ${asset} and ${reserveEntries.txId} = ${txId}`;

/** `from`: null where it came back from nowhere. */
export const markReturned = (db: Db, asset: AssetId, txId: string, from: string | null): Statement =>
	db.update(reserveEntries).set({ returnedFrom: from }).where(isOf(asset, txId));
