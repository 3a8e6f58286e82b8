/** The service's D1 as it was: every row of every table, to be put back as if the database had been restored. */
import type { TestService } from './service.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

export type DatabaseCopy = ReadonlyMap<string, Rows>;

/** `_cf_` and `sqlite_` tables are the platform's own. */
async function tablesOf(service: TestService): Promise<string[]> {
	const tables = await service.sql<{ name: string }>(
		`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND name <> 'd1_migrations'`,
	);
	return tables.map(({ name }) => name);
}

export async function copyDatabase(service: TestService): Promise<DatabaseCopy> {
	const copy = new Map<string, Rows>();
	for (const table of await tablesOf(service)) copy.set(table, await service.sql(`SELECT * FROM "${table}"`));
	return copy;
}

/** In one batch, while the service runs on, and without the triggers, which would count and refuse what is put back. */
export async function restoreDatabase(service: TestService, copy: DatabaseCopy): Promise<void> {
	const { database } = service;
	const triggers = await service.sql<{ name: string; sql: string }>(
		"SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid",
	);
	await database.batch([
		database.prepare('PRAGMA defer_foreign_keys = on'),
		...triggers.map(({ name }) => database.prepare(`DROP TRIGGER "${name}"`)),
		...[...copy.keys()].flatMap((table) => [
			database.prepare(`DELETE FROM "${table}"`),
			...(copy.get(table) ?? []).map((row) => {
				const names = Object.keys(row);
				const columns = names.map((name) => `"${name}"`).join(', ');
				const values = names.map(() => '?').join(', ');
				return database
					.prepare(`INSERT INTO "${table}" (${columns}) VALUES (${values})`)
					.bind(...(Object.values(row) as (string | number | null)[]));
			}),
		]),
		...triggers.map(({ sql }) => database.prepare(sql)),
	]);
}
