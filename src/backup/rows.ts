/**
 * Rows of any SQLite table as text, exact, and back. D1 rounds integers above 2⁵³ and binds every number as a float, so
 * SQL itself turns each value into text with a letter for its type, and back. The same statements run on D1 and on the
 * storage of a Durable Object. Pure.
 */

export interface TableShape {
	readonly name: string;
	readonly columns: readonly string[];
	/** The columns of the primary key, in its order; without one the rowid stands for it. */
	readonly key: readonly string[];
}

/** One value: a letter for its type and its text. Null is null. */
type Value = string | null;
export type Values = readonly Value[];

export interface Statement {
	readonly sql: string;
	/** Its one parameter. */
	readonly json: string;
}

/** Lists the columns of every table of ours, in their order. `pk`: the place in the primary key, from 1 on. */
export const COLUMNS = `SELECT tables.name AS "table", columns.name AS "column", columns.pk AS pk
	FROM sqlite_master AS tables JOIN pragma_table_info(tables.name) AS columns
	WHERE tables.type = 'table' AND tables.name NOT GLOB '_cf_*' AND tables.name NOT GLOB 'sqlite_*'
	ORDER BY tables.name, columns.cid`;

export interface Column {
	readonly table: string;
	readonly column: string;
	readonly pk: number;
}

export function shapesOf(columns: readonly Column[]): TableShape[] {
	return [...Map.groupBy(columns, ({ table }) => table)].map(([name, found]) => {
		const key = found.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
		return {
			name,
			columns: found.map(({ column }) => column),
			key: key.length > 0 ? key.map(({ column }) => column) : ['rowid'],
		};
	});
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const encoded = (column: string): string =>
	`CASE typeof(${column}) WHEN 'null' THEN NULL WHEN 'text' THEN 't' || ${column} WHEN 'integer' THEN 'i' || ${column} WHEN 'real' THEN 'r' || quote(${column}) ELSE 'b' || hex(${column}) END`;

const decoded = (text: string): string =>
	`CASE substr(${text}, 1, 1) WHEN 't' THEN substr(${text}, 2) WHEN 'i' THEN CAST(substr(${text}, 2) AS INTEGER) WHEN 'r' THEN CAST(substr(${text}, 2) AS REAL) WHEN 'b' THEN unhex(substr(${text}, 2)) END`;

/**
 * The next `limit` rows by key: first the values of the key, then all columns. `after`: the key's values of the last row
 * that was read; null from the beginning.
 */
export function selectRows({ name, columns, key }: TableShape, after: Values | null, limit: number): Statement {
	const keys = key.map(quoted);
	const wanted = [...key, ...columns].map((column, i) => `${encoded(quoted(column))} AS c${i}`);
	const last = key.map((_, i) => decoded(`json_extract(?1, '$[${i}]')`));
	const where = after === null ? '?1 IS NOT NULL' : `(${keys.join(', ')}) > (${last.join(', ')})`;
	return {
		sql: `SELECT ${wanted.join(', ')} FROM ${quoted(name)} WHERE ${where} ORDER BY ${keys.join(', ')} LIMIT ${limit}`,
		json: JSON.stringify(after ?? []),
	};
}

/** Splits a row of `selectRows`, whose columns come in their order. */
export function splitRow({ key }: TableShape, row: Readonly<Record<string, Value>>): { key: Values; values: Values } {
	const values = Object.values(row);
	return { key: values.slice(0, key.length), values: values.slice(key.length) };
}

/** Longest text of one parameter, characters. The platform's limit is 2 MB, and a character has up to three bytes here. */
const MAX_TEXT = 600_000;

/**
 * Inserts rows as `selectRows` gave them, in statements whose parameter the platform takes. `OR IGNORE` where the same
 * rows may come again.
 */
export function insertRows(
	{ name, columns }: Pick<TableShape, 'name' | 'columns'>,
	rows: readonly Values[],
	conflict: '' | ' OR IGNORE' = '',
): Statement[] {
	const values = columns.map((_, i) => decoded(`json_extract(value, '$[${i}]')`));
	const sql = `INSERT${conflict} INTO ${quoted(name)} (${columns.map(quoted).join(', ')}) SELECT ${values.join(', ')} FROM json_each(?1)`;
	return parts(rows.map((row) => JSON.stringify(row))).map((part) => ({ sql, json: `[${part.join()}]` }));
}

function parts(texts: readonly string[]): string[][] {
	const found: string[][] = [];
	let size = MAX_TEXT;
	for (const text of texts) {
		size += text.length;
		if (size > MAX_TEXT) {
			found.push([]);
			size = text.length;
		}
		found.at(-1)?.push(text);
	}
	return found;
}
