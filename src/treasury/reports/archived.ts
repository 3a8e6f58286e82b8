/** The part of archived orders in the reports, by day. */
import { and, asc, gte, lt, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { archivedTotals } from '../../archive/table.ts';
import type { ReportFacts } from './facts.ts';

/** Totals in one page. */
const PER_PAGE = 2_000;

/** The columns of its key, by which pages are cut. */
export type ArchivedKey = readonly [string, string, string, string, string];

/** Totals of the days from `sinceDay` on and before `untilDay`, after `after`; fewer than a page are the last. */
export async function archivedPage(
	db: DrizzleD1Database,
	sinceDay: string,
	untilDay: string,
	after: ArchivedKey,
): Promise<{ readonly facts: readonly ReportFacts[]; readonly last: ArchivedKey | null }> {
	const key = [
		archivedTotals.day,
		archivedTotals.partnerId,
		archivedTotals.referenceCode,
		archivedTotals.fromAsset,
		archivedTotals.toAsset,
	];
	const columns = sql.join(key, sql`, `);
	const values = sql.join(
		after.map((each) => sql`${each}`),
		sql`, `,
	);
	const rows = await db
		.select()
		.from(archivedTotals)
		.where(and(gte(archivedTotals.day, sinceDay), lt(archivedTotals.day, untilDay), sql`(${columns}) > (${values})`))
		.orderBy(...key.map((column) => asc(column)))
		.limit(PER_PAGE);
	const last = rows.length === PER_PAGE ? rows.at(-1) : undefined;
	return {
		facts: rows,
		last: last ? [last.day, last.partnerId, last.referenceCode, last.fromAsset, last.toAsset] : null,
	};
}
