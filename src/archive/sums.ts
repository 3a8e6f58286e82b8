/**
 * Sums over archived rows, so that what adds up a history stays exact after the rows are gone: the ledger check and the
 * wallets' own records. Each is signed base units of one asset; fees are of the network's coin.
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { AssetId } from '../catalog/assets.ts';
import type { TransactionKind } from '../treasury/table.ts';
import { archivedSums } from './table.ts';

export type SumName =
	/** Final deposits, and those among them that no payout or refund answers for: dust. */
	| 'deposits'
	| 'unclaimed deposits'
	/** Final transactions of a kind, without those that the operator paid by hand; and these. */
	| `moved ${TransactionKind}`
	| 'paid by hand'
	/** What transactions of a kind cost; and of sweeps, those that moved a token. */
	| `fee ${TransactionKind}`
	| 'fee token sweep'
	/** The ledger's entries, by account. */
	| `entries ${string}`;

export type Sum = typeof archivedSums.$inferSelect;

/** All of them: some rows for each asset, however many orders there are. */
export const loadSums = (db: DrizzleD1Database) => db.select().from(archivedSums);

/** One sum of one asset; zero where nothing was archived. */
export const sumOf = (sums: readonly Sum[], what: SumName, asset: AssetId): bigint =>
	BigInt(sums.find((sum) => sum.what === what && sum.asset === asset)?.amount ?? 0);
