/**
 * Sums over archived rows of pay-in addresses, by which release 0.1.0 judged what swept addresses hold: they are kept, so
 * that it may be put back. Newer code has sums that triggers keep (`treasury/sweeps/swept-store.ts`). Each is base units
 * of one asset; fees are of the network's coin.
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { archivedSums } from './table.ts';

/** Final deposits; final gas top-ups and sweeps; and what sweeps of a network's coin, and of tokens, cost. */
export type SumName = 'deposits' | 'gas' | 'swept' | 'fee of coin sweeps' | 'fee of token sweeps';

export type Sum = typeof archivedSums.$inferSelect;

/** All of them: some rows for each asset, however many orders there are. */
export const loadSums = (db: DrizzleD1Database) => db.select().from(archivedSums);
