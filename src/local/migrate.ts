/**
 * Applies migrations as `wrangler d1 migrations apply` does, into the same bookkeeping table. Atomic: a migration and
 * its line in that table are one batch.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Miniflare } from 'miniflare';
import { unstable_splitSqlQuery as splitSql } from 'wrangler';

type LocalDatabase = Awaited<ReturnType<Miniflare['getD1Database']>>;

export async function applyMigrations(database: LocalDatabase, directory: string): Promise<void> {
	await database
		.prepare(
			'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)',
		)
		.run();
	const { results } = await database.prepare('SELECT name FROM d1_migrations').all<{ name: string }>();
	const applied = new Set(results.map(({ name }) => name));
	const names = readdirSync(directory).filter((name) => name.endsWith('.sql'));
	for (const name of names.sort()) {
		if (applied.has(name)) continue;
		const statements = splitSql(readFileSync(join(directory, name), 'utf8'));
		await database.batch([
			...statements.map((statement) => database.prepare(statement)),
			database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
		]);
	}
}
