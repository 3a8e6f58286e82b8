/**
 * Applies migrations as `wrangler d1 migrations apply` does, into the same bookkeeping table. Atomic: a migration and
 * its line in that table are one batch.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { kept } from './kept.ts';
import { MIGRATIONS_DIRECTORY } from './workers.ts';

type LocalDatabase = Awaited<ReturnType<Miniflare['getD1Database']>>;

/** The Worker whose binding DB is migrated, as Miniflare takes it. */
interface DatabaseOwner {
	readonly name: string;
	readonly compatibilityDate?: string | undefined;
	readonly d1Databases?: unknown;
}

/** A file of the folder of migrations. */
interface Migration {
	readonly name: string;
	readonly statements: readonly string[];
}

/** In the data folder, so that it goes where that goes. */
const APPLIED = 'migrations-applied';

/**
 * Brings the database to its newest state before anything else runs on it: the service answers, and its alarms fire, as
 * soon as it is there. So the database alone is started first, unless the folder says that nothing is left to apply.
 */
export async function migrateAhead(dataDirectory: string, owner: DatabaseOwner): Promise<void> {
	const migrations = await readMigrations();
	const names = migrations.map(({ name }) => name).join('\n');
	const path = join(dataDirectory, APPLIED);
	if (existsSync(path) && readFileSync(path, 'utf8') === names) return;
	const { name, compatibilityDate, d1Databases } = owner;
	const worker = { name, compatibilityDate, d1Databases, modules: true, script: 'export default {}' };
	const miniflare = new Miniflare(
		convertV4MiniflareOptions({
			workers: [worker],
			resourcePersistencePath: dataDirectory,
			log: new Log(LogLevel.ERROR),
		} as Parameters<typeof convertV4MiniflareOptions>[0]),
	);
	try {
		await applyMigrations(await miniflare.getD1Database('DB', name), migrations);
		writeFileSync(path, names);
	} finally {
		await miniflare.dispose();
	}
}

async function applyMigrations(database: LocalDatabase, migrations: readonly Migration[]): Promise<void> {
	await database
		.prepare(
			'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)',
		)
		.run();
	const { results } = await database.prepare('SELECT name FROM d1_migrations').all<{ name: string }>();
	const applied = new Set(results.map(({ name }) => name));
	for (const { name, statements } of migrations) {
		if (applied.has(name)) continue;
		await database.batch([
			...statements.map((statement) => database.prepare(statement)),
			database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
		]);
	}
}

/** In their order. To load what splits them takes longer than to apply them, so the statements are kept. */
export function readMigrations(): Promise<readonly Migration[]> {
	return kept('migrations', async () => {
		const { unstable_splitSqlQuery: splitSql } = await import('wrangler');
		const names = readdirSync(MIGRATIONS_DIRECTORY)
			.filter((name) => name.endsWith('.sql'))
			.sort();
		const paths = names.map((name) => join(MIGRATIONS_DIRECTORY, name));
		const value = names.map((name, i) => ({ name, statements: splitSql(readFileSync(paths[i] ?? '', 'utf8')) }));
		return { value, from: [MIGRATIONS_DIRECTORY, ...paths] };
	});
}
