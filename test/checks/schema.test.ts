/** The Drizzle tables match the migrations. Otherwise a query could compile and fail in D1. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, it } from 'vitest';
import * as archive from '../../src/archive/table.ts';
import * as audit from '../../src/audit/table.ts';
import * as backup from '../../src/backup/table.ts';
import * as catalog from '../../src/catalog/table.ts';
import * as console from '../../src/console/table.ts';
import * as incidents from '../../src/incidents/table.ts';
import * as alerts from '../../src/operator/alerts/table.ts';
import * as chained from '../../src/operator/chained/table.ts';
import * as history from '../../src/operator/history/table.ts';
import * as orders from '../../src/orders/table.ts';
import * as consoleForms from '../../src/pages/operator/table.ts';
import * as signIn from '../../src/partners/sign-in/table.ts';
import * as partners from '../../src/partners/table.ts';
import { MIGRATIONS as KNOWN } from '../../src/platform/d1/migrations.ts';
import * as statusDays from '../../src/status/table.ts';
import * as earnings from '../../src/treasury/earnings/table.ts';
import * as hedge from '../../src/treasury/hedge/table.ts';
import * as ledger from '../../src/treasury/ledger/table.ts';
import * as screening from '../../src/treasury/screening/table.ts';
import * as solvency from '../../src/treasury/solvency/table.ts';
import * as strays from '../../src/treasury/strays/table.ts';
import * as sweeps from '../../src/treasury/sweeps/table.ts';
import * as treasury from '../../src/treasury/table.ts';
import * as webhooks from '../../src/webhooks/table.ts';
import { release } from '../support/release/release.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');

const TABLES: SQLiteTable[] = [
	alerts,
	archive,
	audit,
	backup,
	catalog,
	chained,
	console,
	consoleForms,
	history,
	incidents,
	orders,
	partners,
	earnings,
	hedge,
	ledger,
	screening,
	solvency,
	statusDays,
	signIn,
	strays,
	sweeps,
	treasury,
	webhooks,
]
	.flatMap((module): unknown[] => Object.values(module))
	.filter((value) => is(value, SQLiteTable));

interface Column {
	readonly name: string;
	readonly type: string;
	readonly notnull: number;
	readonly pk: number;
	readonly dflt_value: string | null;
}

function migrated(): DatabaseSync {
	const database = new DatabaseSync(':memory:');
	for (const name of readdirSync(MIGRATIONS).sort()) database.exec(readFileSync(join(MIGRATIONS, name), 'utf8'));
	return database;
}

it.each(TABLES.map((table) => [getTableConfig(table).name, table] as const))(
	'%s matches the migrations',
	(name, table) => {
		const database = migrated();
		const actual = (database.prepare(`PRAGMA table_info(${name})`).all() as unknown as Column[]).map((column) => ({
			name: column.name,
			type: column.type.toLowerCase(),
			notNull: column.notnull === 1 || column.pk > 0,
			key: column.pk > 0,
			hasDefault: column.dflt_value !== null,
		}));
		const { columns, primaryKeys } = getTableConfig(table);
		const composite = primaryKeys.flatMap((key) => key.columns.map((column) => column.name));
		const declared = columns.map((column) => ({
			name: column.name,
			type: column.getSQLType(),
			notNull: column.notNull,
			key: column.primary || composite.includes(column.name),
			hasDefault: column.default !== undefined,
		}));
		expect(declared).toEqual(actual);
	},
);

it('every migrated table has a Drizzle table', () => {
	const rows = migrated()
		.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
		.all();
	const names = rows.map((row) => String(row['name']));
	expect(TABLES.map((table) => getTableConfig(table).name).sort()).toEqual(names.sort());
});

/** What an older Worker cannot live with. A trigger or an index may go: no query names one. */
const CONTRACTS =
	/\bDROP\s+(TABLE|VIEW|COLUMN)\b|\bRENAME\b|\bADD\s+(COLUMN\s+)?(?![^;]*\bDEFAULT\b)[^;]*\bNOT\s+NULL\b/i;
const SAYS_SINCE = /^--[^\n]*\bSince release \S+ nothing reads\b/m;

const refused = (text: string): boolean => {
	const code = text.replaceAll(/--[^\n]*/g, '');
	return CONTRACTS.test(code) && !SAYS_SINCE.test(text);
};

it.each(readdirSync(MIGRATIONS).filter((name) => name > release().newestMigration))(
	'%s suits the Workers of the release before: it only adds, or says since when nothing reads what it takes away',
	(name) => {
		expect(refused(readFileSync(join(MIGRATIONS, name), 'utf8'))).toBe(false);
	},
);

it.each([
	['ALTER TABLE orders DROP COLUMN note;', true],
	['-- Since release 0.2.0 nothing reads it.\nALTER TABLE orders DROP COLUMN note;', false],
	['ALTER TABLE orders RENAME TO swaps;', true],
	['alter table orders rename column note to remark;', true],
	['DROP TABLE notes;', true],
	['ALTER TABLE orders ADD COLUMN note TEXT NOT NULL;', true],
	["ALTER TABLE orders ADD COLUMN note TEXT NOT NULL DEFAULT '';", false],
	['ALTER TABLE orders ADD COLUMN note TEXT;\nCREATE TABLE notes (id TEXT NOT NULL);', false],
	['-- Nothing is renamed.\nDROP INDEX orders_by_note;', false],
])('%j is refused by that rule: %s', (text, isRefused) => {
	expect(refused(text)).toBe(isRefused);
});

it('no test, bench or fixture switches foreign keys off: a migration that breaks one would be seen by nobody', () => {
	const SWITCHED_OFF = /foreign_keys\s*=\s*(off|0|false|no)|enableForeignKeyConstraints:\s*false/i;
	const files = readdirSync(join(MIGRATIONS, '../test'), { recursive: true, encoding: 'utf8' });
	const guilty = files.filter((name) => {
		const path = join(MIGRATIONS, '../test', name);
		return /\.(ts|sql)$/.test(name) && SWITCHED_OFF.test(readFileSync(path, 'utf8'));
	});
	expect(guilty).toEqual([]);
});

it('the list of migrations in src/platform/d1/migrations.ts, which doctor goes by, is that of the folder', () => {
	expect(KNOWN).toEqual(readdirSync(MIGRATIONS).sort());
});
