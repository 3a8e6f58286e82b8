/** A copy of the data folder whose D1 is migrated, for a test that runs a Worker of its own on it. */
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateAhead } from '../../src/local/migrate.ts';
import { DATABASE_ID } from '../../src/local/workers.ts';
import { madeInRun, runFolders } from './run-folders.ts';
import { MIGRATED } from './template.ts';

/** Options of Miniflare. The folder goes with the others of the run. */
export async function migratedDatabase() {
	const folders = runFolders();
	const folder = mkdtempSync(join(folders ?? tmpdir(), 'database-'));
	const worker = { d1Databases: { DB: DATABASE_ID } };
	if (folders) cpSync(join(await madeInRun(MIGRATED), 'data'), folder, { recursive: true });
	else await migrateAhead(folder, { name: 'database', ...worker });
	return { worker, shared: { resourcePersistencePath: folder } };
}
