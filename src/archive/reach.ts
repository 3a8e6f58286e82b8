/**
 * How far back a list reaches that is read from D1 alone. Of an archived order D1 keeps nothing that says when it was
 * made, so the bound is that of the move: an order is archived at the earliest 31 days after its deposit window.
 */
import { desc, sql } from 'drizzle-orm';
import type { Db } from '../platform/d1/database.ts';
import { DAY_MILLISECONDS } from '../platform/time.ts';
import { archivedBatches, archivedTotals } from './table.ts';

/** As `site.archive_after_days` allows. */
const LEAST_MILLISECONDS = 31 * DAY_MILLISECONDS;

/** For a batch of D1: the newest move, where an order of the partner is archived. Two rows, however many are. */
export const newestMove = (db: Db, partnerId: string) =>
	db
		.select({ at: archivedBatches.at })
		.from(archivedBatches)
		.where(sql`exists (select 1 from ${archivedTotals} where ${archivedTotals.partnerId} = ${partnerId})`)
		.orderBy(desc(archivedBatches.number))
		.limit(1);

/** Unix milliseconds: every order of the partner that was made from then on is in D1. Null where none is archived. */
export const reachOf = ([newest]: readonly { readonly at: number }[]): number | null =>
	newest === undefined ? null : newest.at - LEAST_MILLISECONDS;
