/**
 * The totals of archived orders that D1 keeps for the reports. They are added up here, exactly, from what was read
 * together with the number of the last batch. The statement stores the new ones; the batch's own number is their
 * compare-and-set. The rules are pure.
 */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { ArchivedOrder } from '../../archive/record.ts';
import { archivedTotals } from '../../archive/table.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { addFacts, factsOf, type ReportFacts, type ReportKey } from '../reports/facts.ts';

/** The totals that change, as they are with these orders. */
export function foldedTotals(before: readonly ReportFacts[], archived: readonly ArchivedOrder[]): ReportFacts[] {
	const totals = new Map(before.map((total) => [keyText(total), total]));
	const changed = new Map<string, ReportFacts>();
	for (const facts of archived.map(factsOf)) {
		const key = keyText(facts);
		const known = changed.get(key) ?? totals.get(key);
		changed.set(key, known ? addFacts(known, facts) : facts);
	}
	return [...changed.values()];
}

const keyText = ({ day, partnerId, referenceCode, fromAsset, toAsset }: ReportKey): string =>
	JSON.stringify([day, partnerId, referenceCode, fromAsset, toAsset]);

/** The stored totals of these orders. */
export const loadTotals = (db: Db, archived: readonly ArchivedOrder[]) => {
	const keys = [...new Set(archived.map((each) => keyText(factsOf(each))))].map((text) => JSON.parse(text));
	const { day, partnerId, referenceCode, fromAsset, toAsset } = archivedTotals;
	const isOne = sql`(${day}, ${partnerId}, ${referenceCode}, ${fromAsset}, ${toAsset}) in (
		select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(${JSON.stringify(keys)}))`;
	return db.select().from(archivedTotals).where(isOne);
};

export const storeTotals = (db: Db, totals: readonly ReportFacts[]): Statement => {
	const { day, partnerId, referenceCode, fromAsset, toAsset, ...values } = getTableColumns(archivedTotals);
	return db
		.insert(archivedTotals)
		.select(rowsOf(archivedTotals, totals))
		.onConflictDoUpdate({
			target: [day, partnerId, referenceCode, fromAsset, toAsset],
			set: Object.fromEntries(
				Object.entries(values).map(([name, column]) => [name, sql`excluded.${sql.identifier(column.name)}`]),
			),
		});
};

/** Rows of a table as one parameter. Without the condition SQLite would read `on conflict` as a join. */
function rowsOf(table: SQLiteTable, rows: readonly ReportFacts[]): SQL {
	const names = Object.keys(getTableColumns(table));
	const columns = names.map((_, i) => sql.raw(`value ->> ${i}`));
	const values = rows.map((row) => names.map((name) => row[name as keyof ReportFacts]));
	const text = JSON.stringify(values, (_, value) => (typeof value === 'bigint' ? String(value) : value));
	return sql`select ${sql.join(columns, sql`, `)} from json_each(${text}) where true`;
}
