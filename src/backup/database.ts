/** D1 page by page, as text that is exact (`rows.ts`). */
import { isBackedUp } from './hold.ts';
import { type Page, PER_PAGE, type Place, pageOf, type ReadPage } from './object-storage.ts';
import { COLUMNS, type Column, insertRows, selectRows, shapesOf, type TableShape } from './rows.ts';

/** Tables that others refer to come first. */
async function tablesOf(d1: D1Database): Promise<TableShape[]> {
	const [columns, references] = await d1.batch([
		d1.prepare(COLUMNS),
		d1.prepare(
			`SELECT tables.name AS "from", refs."table" AS "to" FROM sqlite_master AS tables
			 JOIN pragma_foreign_key_list(tables.name) AS refs
			 WHERE tables.type = 'table' AND tables.name NOT GLOB '_cf_*' AND tables.name NOT GLOB 'sqlite_*'`,
		),
	]);
	const shapes = shapesOf((columns?.results ?? []) as Column[]).filter(({ name }) => isBackedUp(name));
	return inOrder(shapes, (references?.results ?? []) as { from: string; to: string }[]);
}

function inOrder(shapes: readonly TableShape[], references: readonly { from: string; to: string }[]): TableShape[] {
	const ordered: TableShape[] = [];
	const visit = (shape: TableShape, path: readonly string[]): void => {
		if (ordered.includes(shape) || path.includes(shape.name)) return;
		const wanted = references.filter(({ from }) => from === shape.name).map(({ to }) => to);
		for (const each of shapes) if (wanted.includes(each.name)) visit(each, [...path, shape.name]);
		ordered.push(shape);
	};
	for (const shape of shapes) visit(shape, []);
	return ordered;
}

export async function readTable(d1: D1Database, place: Place | null): Promise<ReadPage | null> {
	const at = place ?? { table: 0, after: null };
	const shape = (await tablesOf(d1))[at.table];
	if (!shape) return null;
	const { sql, json } = selectRows(shape, at.after, PER_PAGE);
	const { results } = await d1.prepare(sql).bind(json).all<Record<string, string | null>>();
	return pageOf(shape, at, results);
}

export function insertStatements(d1: D1Database, { table, columns, rows }: Page): D1PreparedStatement[] {
	if (table === null) return [];
	return insertRows({ name: table, columns }, rows).map(({ sql, json }) => d1.prepare(sql).bind(json));
}

/** Rows of each table that a backup has. */
export async function countTables(d1: D1Database): Promise<Record<string, number>> {
	const shapes = await tablesOf(d1);
	const counted = await d1.batch<{ rows: number }>(
		shapes.map(({ name }) => d1.prepare(`SELECT count(*) AS rows FROM "${name}"`)),
	);
	return Object.fromEntries(shapes.map(({ name }, i) => [name, counted[i]?.results[0]?.rows ?? 0]));
}

/** The names of the applied migrations, in their order: the schema that a backup belongs to. */
export async function migrationsOf(d1: D1Database): Promise<string[]> {
	const { results } = await d1.prepare('SELECT name FROM d1_migrations ORDER BY name').all<{ name: string }>();
	return results.map(({ name }) => name);
}
