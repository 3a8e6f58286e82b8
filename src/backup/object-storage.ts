/**
 * The storage of a Durable Object, page by page: the rows of its SQL tables and its other entries. SQL cannot read the
 * entries of `storage.kv`, so they are listed apart. Each method is one synchronous turn.
 */
import {
	COLUMNS,
	type Column,
	insertRows,
	selectRows,
	shapesOf,
	splitRow,
	type TableShape,
	type Values,
} from './rows.ts';

export const PER_PAGE = 500;

export interface Page {
	/** Null for the entries of `storage.kv`: rows of name and JSON. */
	readonly table: string | null;
	readonly columns: readonly string[];
	readonly rows: readonly Values[];
}

/** Where the next page begins: the number of the table, and the key of the last row of it that was read. */
export interface Place {
	readonly table: number;
	readonly after: Values | null;
}

export interface ReadPage {
	readonly page: Page;
	/** Null after the last one. */
	readonly next: Place | null;
}

const tablesOf = ({ sql }: DurableObjectStorage): TableShape[] =>
	shapesOf(sql.exec<Column & Record<string, string | number>>(COLUMNS).toArray());

/** `place`: null for the first page. `leftOut`: entries of `storage.kv` that are not part of the copy. */
export function readPage(
	storage: DurableObjectStorage,
	place: Place | null,
	leftOut: (name: string) => boolean,
): ReadPage {
	const tables = tablesOf(storage);
	const at = place ?? { table: 0, after: null };
	const shape = tables[at.table];
	if (!shape) return { page: entriesOf(storage, leftOut), next: null };
	const { sql, json } = selectRows(shape, at.after, PER_PAGE);
	return pageOf(shape, at, storage.sql.exec<Line>(sql, json).toArray());
}

type Line = Record<string, string | null>;

/** `lines`: those that `selectRows` gave at this place. */
export function pageOf(shape: TableShape, { table }: Place, lines: readonly Line[]): ReadPage {
	const rows = lines.map((line) => splitRow(shape, line));
	const last = rows.length === PER_PAGE ? (rows.at(-1)?.key ?? null) : null;
	return {
		page: { table: shape.name, columns: shape.columns, rows: rows.map(({ values }) => values) },
		next: last ? { table, after: last } : { table: table + 1, after: null },
	};
}

function entriesOf({ kv }: DurableObjectStorage, leftOut: (name: string) => boolean): Page {
	const rows = [...kv.list()].filter(([name]) => !leftOut(name)).map(([name, value]) => [name, JSON.stringify(value)]);
	return { table: null, columns: ['name', 'value'], rows };
}

/** Adds what the page has. Rows and entries that are there already stay, so a page may come twice. */
export function writePage(storage: DurableObjectStorage, { table, columns, rows }: Page): void {
	if (table === null) {
		for (const [name, value] of rows)
			if (name && value && storage.kv.get(name) === undefined) storage.kv.put(name, JSON.parse(value));
		return;
	}
	for (const { sql, json } of insertRows({ name: table, columns }, rows, ' OR IGNORE')) storage.sql.exec(sql, json);
}

/** The number of rows in each table. */
export function rowsIn(storage: DurableObjectStorage): Record<string, number> {
	const counted = tablesOf(storage).map(({ name }): [string, number] => [
		name,
		storage.sql.exec<{ rows: number }>(`SELECT count(*) AS rows FROM "${name}"`).one().rows,
	]);
	return Object.fromEntries(counted);
}
