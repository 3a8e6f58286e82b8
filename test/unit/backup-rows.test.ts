/** Rows of a backup are exact, whatever their types, and pages of any table join without a gap. */
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import {
	COLUMNS,
	type Column,
	insertRows,
	selectRows,
	shapesOf,
	splitRow,
	type Values,
} from '../../src/backup/rows.ts';

const SCHEMA = `
	CREATE TABLE plain (a, b TEXT, c INTEGER);
	CREATE TABLE keyed (name TEXT, number INTEGER, value, PRIMARY KEY (number, name)) WITHOUT ROWID;
`;
const PER_PAGE = 3;

function opened(): DatabaseSync {
	const database = new DatabaseSync(':memory:');
	database.exec(SCHEMA);
	return database;
}

const shapesIn = (database: DatabaseSync) => shapesOf(database.prepare(COLUMNS).all() as unknown as Column[]);

/** All rows of a table, page by page. */
function pagesOf(database: DatabaseSync, table: string): Values[] {
	const shape = shapesIn(database).find(({ name }) => name === table);
	if (!shape) throw new Error(`there is no table ${table}`);
	const all: Values[] = [];
	for (let after: Values | null = null; ; ) {
		const { sql, json } = selectRows(shape, after, PER_PAGE);
		const rows = database.prepare(sql).all(json) as Record<string, string | null>[];
		const split = rows.map((row) => splitRow(shape, row));
		all.push(...split.map(({ values }) => values));
		if (split.length < PER_PAGE) return all;
		after = split.at(-1)?.key ?? null;
	}
}

const dumpOf = (database: DatabaseSync, table: string, columns: string) =>
	database.prepare(`SELECT ${columns} FROM ${table} ORDER BY 1, 2`).all();

const EXACT = 'typeof(a) AS x, quote(a) AS y, quote(b) AS z, quote(c) AS w';

it('every value comes back with its type: large integers, floats, bytes, empty and strange texts, null', () => {
	const database = opened();
	database.exec(`INSERT INTO plain VALUES
		(9007199254740993, 'it''s "quoted"', -9223372036854775808), (1.1, '', 0), (0.0, 'é 🙂', NULL),
		(x'00ff', '[1]', 9223372036854775807), (NULL, NULL, 1), ('9007199254740993', 'i5', 2), ('', 't', 3)`);
	const copy = opened();
	for (const { sql, json } of insertRows({ name: 'plain', columns: ['a', 'b', 'c'] }, pagesOf(database, 'plain')))
		copy.prepare(sql).run(json);
	expect(dumpOf(copy, 'plain', EXACT)).toEqual(dumpOf(database, 'plain', EXACT));
	expect(dumpOf(copy, 'plain', EXACT)).toHaveLength(7);
});

it('pages of a table with a key of two columns follow each other, and rows may come twice', () => {
	const database = opened();
	for (let i = 0; i < 20; i++) database.prepare('INSERT INTO keyed VALUES (?, ?, ?)').run(`n${i % 7}`, i % 5, i);
	const pages = pagesOf(database, 'keyed');
	const copy = opened();
	for (const _ of [1, 2])
		for (const { sql, json } of insertRows(
			{ name: 'keyed', columns: ['name', 'number', 'value'] },
			pages,
			' OR IGNORE',
		))
			copy.prepare(sql).run(json);
	expect(dumpOf(copy, 'keyed', '*')).toEqual(dumpOf(database, 'keyed', '*'));
	expect(pages).toHaveLength(20);
});

it('no parameter is longer than the platform takes, however many rows there are', () => {
	const rows = Array.from({ length: 40 }, () => [`t${'x'.repeat(100_000)}`]);
	const statements = insertRows({ name: 'plain', columns: ['b'] }, rows);
	expect(statements.length).toBeGreaterThan(5);
	expect(Math.max(...statements.map(({ json }) => json.length))).toBeLessThan(700_000);
	expect(statements.flatMap(({ json }) => JSON.parse(json) as unknown[])).toHaveLength(40);
});
