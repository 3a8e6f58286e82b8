/**
 * Sums over archived rows of pay-in addresses, so that what swept addresses hold stays exact after the rows are gone
 * (`treasury/sweeps/swept-store.ts`). Each is base units of one asset; fees are of the network's coin. The books and the
 * wallets' flows have their own kept sums (migrations/0026_kept_balances.sql).
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { AssetId } from '../catalog/assets.ts';
import { archivedSums } from './table.ts';

/** Final deposits; final gas top-ups and sweeps; and what sweeps of a network's coin, and of tokens, cost. */
export type SumName = 'deposits' | 'gas' | 'swept' | 'fee of coin sweeps' | 'fee of token sweeps';

export type Sum = typeof archivedSums.$inferSelect;

/** All of them: some rows for each asset, however many orders there are. */
export const loadSums = (db: DrizzleD1Database) => db.select().from(archivedSums);

/** One sum of one asset; zero where nothing was archived. */
export const sumOf = (sums: readonly Sum[], what: SumName, asset: AssetId): bigint =>
	BigInt(sums.find((sum) => sum.what === what && sum.asset === asset)?.amount ?? 0);
