/** A copy of the data folder whose D1 is migrated, for a test that runs a Worker of its own on it. */
import { cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { DATABASE_ID } from '../../src/local/workers.ts';
import { MIGRATED } from './template.ts';

/** Options of Miniflare. The folder goes with the others of the run. */
export function migratedDatabase() {
	const folder = mkdtempSync(join(inject('stateFolders'), 'database-'));
	cpSync(join(inject('stateFolders'), MIGRATED, 'data'), folder, { recursive: true });
	return { worker: { d1Databases: { DB: DATABASE_ID } }, shared: { resourcePersistencePath: folder } };
}
