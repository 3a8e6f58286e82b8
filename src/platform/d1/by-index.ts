/**
 * Names the index by which a query finds its rows. SQLite guesses how many rows an index leaves, and a partial index that
 * holds the few open rows looks no better to it than one by network that holds all history. Where the named index cannot
 * serve the query, the query fails, so a wrong name does not pass a test. Pure.
 */
import { getTableName, is, type SQL, sql } from 'drizzle-orm';
import { SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';

/**
 * For `from`, and for SQL that names the table. The query must repeat the words of a partial index. It is SQL; Drizzle's
 * types know a query's columns only by its table.
 */
export const byIndex = <Table extends SQLiteTable>(table: Table, index: string): Table =>
	sql`${sql.identifier(getTableName(table))} indexed by ${sql.identifier(index)}` as unknown as Table;

/** For `select` from `byIndex`: the same columns. As columns Drizzle would refuse them, because it does not see their table. */
export const fromIndex = <Fields extends Readonly<Record<string, SQLiteColumn | SQL>>>(fields: Fields): Fields =>
	Object.fromEntries(
		Object.entries(fields).map(([name, field]) => [
			name,
			is(field, SQLiteColumn) ? sql`${field}`.mapWith(field) : field,
		]),
	) as Fields;
