/**
 * Applies migrations as `wrangler d1 migrations apply` does, into the same bookkeeping table. Atomic: a migration and
 * its line in that table are one batch.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';

type LocalDatabase = Awaited<ReturnType<Miniflare['getD1Database']>>;

/** The Worker whose binding DB is migrated, as Miniflare takes it. */
interface DatabaseOwner {
	readonly name: string;
	readonly compatibilityDate?: string | undefined;
	readonly d1Databases?: unknown;
}

/** In the data folder, so that it goes where that goes. */
const APPLIED = 'migrations-applied';

/**
 * Brings the database to its newest state before anything else runs on it: the service answers, and its alarms fire, as
 * soon as it is there. So the database alone is started first, unless the folder says that nothing is left to apply.
 */
export async function migrateAhead(dataDirectory: string, owner: DatabaseOwner, directory: string): Promise<void> {
	const names = migrationsIn(directory).join('\n');
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
		await applyMigrations(await miniflare.getD1Database('DB', name), directory);
		writeFileSync(path, names);
	} finally {
		await miniflare.dispose();
	}
}

export async function applyMigrations(database: LocalDatabase, directory: string): Promise<void> {
	await database
		.prepare(
			'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)',
		)
		.run();
	const { results } = await database.prepare('SELECT name FROM d1_migrations').all<{ name: string }>();
	const applied = new Set(results.map(({ name }) => name));
	const missing = migrationsIn(directory).filter((name) => !applied.has(name));
	if (missing.length === 0) return;
	const { unstable_splitSqlQuery: splitSql } = await import('wrangler');
	for (const name of missing) {
		const statements = splitSql(readFileSync(join(directory, name), 'utf8'));
		await database.batch([
			...statements.map((statement) => database.prepare(statement)),
			database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
		]);
	}
}

const migrationsIn = (directory: string): string[] =>
	readdirSync(directory)
		.filter((name) => name.endsWith('.sql'))
		.sort();
