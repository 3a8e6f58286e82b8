/** D1's only database on disk, and copies of it from and to another time. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

/** The service may be writing: SQLite waits for it instead of failing at once. */
const BUSY_MILLISECONDS = 10_000;

export function databaseFile({ stateDirectory }: { readonly stateDirectory: string }): string {
	const folder = join(stateDirectory, 'data/d1/miniflare-D1DatabaseObject');
	const [file, ...more] = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
	if (file === undefined || more.length > 0) throw new Error(`${folder} has not one database`);
	return join(folder, file);
}

/** Copies a database that may be in use, from or to, in one step. */
export async function copyDatabaseFile(from: string, to: string): Promise<void> {
	const source = new DatabaseSync(from, { timeout: BUSY_MILLISECONDS });
	await backup(source, to).finally(() => source.close());
}
