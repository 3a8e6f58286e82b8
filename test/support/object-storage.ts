/** The storage of a Durable Object on disk, for what a test changes while the service is stopped. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AGENTS_WORKER, type API_WORKER, SIGNER_WORKER } from '../../src/local/workers.ts';
import type { TestService } from './service.ts';
import type { ObjectBinding } from './test-worker.ts';

export interface ObjectOnDisk {
	readonly worker: typeof API_WORKER | typeof AGENTS_WORKER | typeof SIGNER_WORKER;
	readonly binding: ObjectBinding;
	readonly className: string;
	readonly name: string;
}

export const VAULT: ObjectOnDisk = { worker: SIGNER_WORKER, binding: 'VAULT', className: 'Vault', name: 'vault' };

export const agentOf = (network: string): ObjectOnDisk => ({
	worker: AGENTS_WORKER,
	binding: 'CHAIN_AGENT',
	className: 'ChainAgent',
	name: network,
});

/** Where the object's database is; ask while the service runs. */
export async function databasePath(service: TestService, object: ObjectOnDisk): Promise<string> {
	const { worker, binding, className, name } = object;
	const file = `${await service.objectId(binding, name)}.sqlite`;
	return join(service.stateDirectory, 'data/do', `${worker}-${className}`, file);
}

/** Opens what is there, once the service is stopped; the database is closed afterwards. */
export function inDatabase<T>(path: string, use: (database: DatabaseSync) => T): T {
	const database = new DatabaseSync(path);
	try {
		return use(database);
	} finally {
		database.close();
	}
}
