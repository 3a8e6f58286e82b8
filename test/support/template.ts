/**
 * What every service starts from that is on the sandbox alone: a state folder as the first start leaves it, with D1
 * migrated and the pools of pay-in addresses full; what all others start from: a state folder with a migrated D1 and
 * nothing else; and the Workers, minified as they are deployed. Making these costs more than a start, so it is done once
 * for a run of the tests, while the first tests run: `run-folders.ts` waits for what a test needs.
 */
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestProject } from 'vitest/node';
import { NETWORK_NAMES } from '../../src/catalog/networks.ts';
import { migrateAhead } from '../../src/local/migrate.ts';
import { startService } from '../../src/local/service.ts';
import {
	AGENTS_WORKER,
	localWorkers,
	type WorkerSources,
	withoutPages,
	workerSources,
} from '../../src/local/workers.ts';
import type { ChainAgentRpc } from '../../src/ports/chain-agent.ts';
import { databaseFile } from './database-file.ts';
import { templateDirectory } from './monerod.ts';
import { isInstalled } from './nodes.ts';

/** Names within the folder that all are in. */
export const TEMPLATE = 'template';
/** There where the others could not all be made: why. */
export const FAILED = 'failed.txt';
export const MIGRATED = 'migrated';
export const SOURCES = 'workers.json';
/** As many as the tests of one file use. A service adds more when it has fewer than its configuration asks for. */
const ADDRESS_POOL = 200;

/** Tests wait for what polls do, and not for a network on which nothing is open; a test of its pace sets it. */
export const NEVER_IDLE = Object.fromEntries(
	NETWORK_NAMES.map((name) => [`NODE_IDLE_POLL_SECONDS_${name.toUpperCase()}`, '1']),
);

declare module 'vitest' {
	interface ProvidedContext {
		/** Path of the folder that holds the template, and every other state folder of the run. */
		stateFolders: string;
	}
}

/** A service that its process did not stop may write for as long as its guardian needs to see that. */
const REMOVED = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 };
const READY_MILLISECONDS = 60_000;

export default function setup(project: TestProject): () => Promise<void> {
	const stateFolders = mkdtempSync(join(tmpdir(), 'partner-exchange-tests-'));
	project.provide('stateFolders', stateFolders);
	const made = Promise.all([
		makeAll(stateFolders).catch((error) => writeFileSync(join(stateFolders, FAILED), String(error))),
		// Where this fails, the first test that needs it tries again, and says why.
		runsAll(project) && isInstalled('monerod') && templateDirectory(stateFolders).catch(() => undefined),
	]);
	return async () => {
		await made;
		if (!process.env['KEEP_STATE']) rmSync(stateFolders, REMOVED);
	};
}

/** Whether this is a run of all tests, and not of files that somebody named. */
function runsAll({ name, vitest }: TestProject): boolean {
	const { filenamePattern = [] } = vitest as { readonly filenamePattern?: readonly string[] };
	return name === 'service' && filenamePattern.length === 0;
}

/** Each gets its name when it is whole. */
async function makeAll(stateFolders: string): Promise<void> {
	const unfinished = join(stateFolders, 'unfinished');
	const sources = await workerSources({ minify: true });
	writeFileSync(unfinished, JSON.stringify(sources));
	renameSync(unfinished, join(stateFolders, SOURCES));
	const data = join(unfinished, 'data');
	mkdirSync(data, { recursive: true });
	const [api] = await localWorkers({}, 0, sources);
	if (api) await migrateAhead(data, api);
	// Orders that a test makes old stay where it looks for them; the tests of the archive switch it on.
	const database = new DatabaseSync(databaseFile({ stateDirectory: unfinished }));
	database.exec('UPDATE site SET archive_after_days = NULL');
	database.close();
	renameSync(unfinished, join(stateFolders, MIGRATED));
	cpSync(join(stateFolders, MIGRATED), unfinished, { recursive: true });
	await fillPools(unfinished, sources);
	renameSync(unfinished, join(stateFolders, TEMPLATE));
}

async function fillPools(stateDirectory: string, sources: WorkerSources): Promise<void> {
	const variables = { ADDRESS_POOL: String(ADDRESS_POOL), ...NEVER_IDLE };
	const local = await startService({ stateDirectory, port: 0, variables, sources, arrange: withoutPages });
	const agents = await local.miniflare.getDurableObjectNamespace('CHAIN_AGENT', AGENTS_WORKER);
	const freeOn = async (network: string) => {
		const agent = agents.get(agents.idFromName(network)) as unknown as Pick<ChainAgentRpc, 'state'>;
		return (await agent.state()).freeAddresses;
	};
	const deadline = Date.now() + READY_MILLISECONDS;
	while ((await Promise.all(NETWORK_NAMES.map(freeOn))).some((free) => free < ADDRESS_POOL)) {
		if (Date.now() > deadline) throw new Error('the pools of the template were not filled in time');
		await new Promise((wait) => setTimeout(wait, 100));
	}
	await local.stop();
}
