/**
 * Statements of the calls that come most often. To build the text of a statement of many columns takes Drizzle a quarter of
 * a millisecond, which is more than all else that the Worker computes for such a call. Here Drizzle builds it once, with a
 * placeholder for each value that differs.
 */
import { fillPlaceholders, getTableColumns, type Query, SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';

type Preparing = Pick<D1Database, 'prepare'>;

/** `build`: with `sql.placeholder(name)` for each of the values that the statement is then given by name. */
export function builtOnce(build: () => { toSQL(): Query }) {
	let built: Query | null = null;
	return (database: Preparing, values: Record<string, unknown>): D1PreparedStatement => {
		built ??= build().toSQL();
		return database.prepare(built.sql).bind(...fillPlaceholders(built.params, values));
	};
}

/** Text of a statement that is built for this call alone. */
export function builtNow(database: Preparing, query: { toSQL(): Query }): D1PreparedStatement {
	const { sql: text, params } = query.toSQL();
	return database.prepare(text).bind(...params);
}

/** One row with all its columns: those that it does not name have their defaults. `isReturned`: it answers with the row. */
export function insertBuiltOnce<Table extends SQLiteTable>(table: Table, isReturned: boolean) {
	let insert: ReturnType<typeof insertOf<Table>> | null = null;
	return (database: Preparing, row: Table['$inferInsert']): D1PreparedStatement => {
		insert ??= insertOf(table, isReturned);
		return insert(database, row);
	};
}

function insertOf<Table extends SQLiteTable>(table: Table, isReturned: boolean) {
	const columns = Object.entries(getTableColumns(table));
	for (const [name, { defaultFn, onUpdateFn }] of columns)
		if (defaultFn ?? onUpdateFn) throw new TypeError(`the default of ${name} is made for each row`);
	// A placeholder by itself: the values come as the driver takes them, because Drizzle would encode null as well.
	const values = Object.fromEntries(columns.map(([name]) => [name, sql`${sql.placeholder(name)}`]));
	const insert = builtOnce(() => {
		const inserted = drizzle({} as D1Database)
			.insert(table)
			.values(values as Table['$inferInsert']);
		return isReturned ? inserted.returning() : inserted;
	});
	return (database: Preparing, row: Table['$inferInsert']): D1PreparedStatement => {
		const given: Readonly<Record<string, unknown>> = row;
		const encoded = columns.map(([name, column]) => {
			const value = given[name] ?? (given[name] === undefined ? column.default : null) ?? null;
			if (value instanceof SQL) throw new TypeError(`the default of ${name} is an expression`);
			return [name, value === null ? null : column.mapToDriverValue(value as never)];
		});
		return insert(database, Object.fromEntries(encoded));
	};
}

/** Rows of a table as Drizzle reads them, from the values of all its columns in their order. */
export function rowReader<Table extends SQLiteTable>(table: Table) {
	const columns = Object.entries(getTableColumns(table));
	return (values: readonly unknown[]): Table['$inferSelect'] =>
		Object.fromEntries(
			columns.map(([name, column], i) => [
				name,
				values[i] === null ? null : column.mapFromDriverValue(values[i] as never),
			]),
		) as Table['$inferSelect'];
}
