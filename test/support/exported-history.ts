/** What an auditor is given of the history: a dump of the database, and what lies in the buckets. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OPERATOR_WORKER } from '../../src/local/workers.ts';
import type { PromiseKeys } from '../../src/sdk/index.ts';
import { copyDatabaseFile, databaseFile } from './database-file.ts';
import { operatorOf } from './operator.ts';
import type { TestService } from './service.ts';

const DUMPED = [
	'audit_log',
	'ledger_entries',
	'order_changes',
	'chained_segments',
	'archived_batches',
	'archived_keys',
];

/** As `wrangler d1 export` writes it, with the tables that are needed. */
export function dumpOf(sqlite: DatabaseSync): string {
	const lines = DUMPED.flatMap((table) => {
		const [{ sql } = { sql: '' }] = sqlite.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').all(table) as {
			sql: string;
		}[];
		const columns = sqlite.prepare(`PRAGMA table_info(${table})`).all() as { name: string }[];
		const names = columns.map(({ name }) => `"${name}"`);
		const quoted = names.map((name) => `quote(${name})`).join(" || ',' || ");
		const rows = sqlite.prepare(`SELECT ${quoted} AS row FROM ${table}`).all() as { row: string }[];
		return [`${sql};`, ...rows.map(({ row }) => `INSERT INTO "${table}" (${names.join(',')}) VALUES(${row});`)];
	});
	const triggers = sqlite
		.prepare("SELECT sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql <> ''")
		.all();
	const rest = triggers.map(({ sql }) => `${sql};`);
	return ['PRAGMA defer_foreign_keys=TRUE;', ...lines, 'DELETE FROM sqlite_sequence;', ...rest].join('\n');
}

/** The head of the history is signed, which the cron does each hour. */
export async function signHistory({ local, sql }: TestService): Promise<void> {
	await local.runScheduled();
	await sql("UPDATE periodic_checks SET due_at = 0 WHERE name = 'books'");
	await local.runScheduled();
}

/** Exports all of it into a new folder below the state, and verifies it by the command. `without`: this object of the archive. */
export async function provenHistory(service: TestService, without = '') {
	const folder = mkdtempSync(join(service.stateDirectory, 'exported-'));
	for (const name of ['BACKUPS', 'ARCHIVE']) {
		const bucket = await service.local.miniflare.getR2Bucket(name, OPERATOR_WORKER);
		const { objects } = await bucket.list({ prefix: name === 'BACKUPS' ? 'history/' : 'orders/' });
		for (const { key } of objects.filter((each) => each.key !== without)) {
			mkdirSync(dirname(join(folder, key)), { recursive: true });
			writeFileSync(join(folder, key), Buffer.from((await (await bucket.get(key))?.arrayBuffer()) ?? []));
		}
	}
	const copy = join(folder, 'copy');
	await copyDatabaseFile(databaseFile(service), copy);
	const copied = new DatabaseSync(copy);
	writeFileSync(join(folder, 'database.sql'), dumpOf(copied));
	copied.close();
	const answer = await fetch(`${service.url}/.well-known/partner-exchange-keys.json`);
	const [key] = ((await answer.json()) as PromiseKeys).keys;
	return operatorOf(() => service).run('proof', 'history', folder, '--key', String(key?.publicKey));
}
