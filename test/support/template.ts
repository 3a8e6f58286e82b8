/**
 * What every service starts from that is on the sandbox alone: a state folder as the first start leaves it, with D1
 * migrated and the pools of pay-in addresses full, which costs the most of a start. Made once for a run of the tests.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { NETWORK_NAMES } from '../../src/catalog/networks.ts';
import { startService } from '../../src/local/service.ts';
import { API_WORKER, withoutPages } from '../../src/local/workers.ts';

/** Its name within the folder that all are in. */
export const TEMPLATE = 'template';
/** As many as the tests of one file use. A service adds more when it has fewer than its configuration asks for. */
const ADDRESS_POOL = 200;

declare module 'vitest' {
	interface ProvidedContext {
		/** Path of the folder that holds the template, and every other state folder of the run. */
		stateFolders: string;
	}
}

const READY_MILLISECONDS = 60_000;

export default async function setup(project: TestProject): Promise<() => void> {
	const stateFolders = mkdtempSync(join(tmpdir(), 'partner-exchange-tests-'));
	const stateDirectory = join(stateFolders, TEMPLATE);
	const local = await startService({
		stateDirectory,
		port: 0,
		variables: { ADDRESS_POOL: String(ADDRESS_POOL) },
		arrange: withoutPages,
	});
	const agents = await local.miniflare.getDurableObjectNamespace('CHAIN_AGENT', API_WORKER);
	const freeOn = (network: string) =>
		(agents.get(agents.idFromName(network)) as unknown as { freeAddresses(): Promise<number> }).freeAddresses();
	const deadline = Date.now() + READY_MILLISECONDS;
	while ((await Promise.all(NETWORK_NAMES.map(freeOn))).some((free) => free < ADDRESS_POOL)) {
		if (Date.now() > deadline) throw new Error('the pools of the template were not filled in time');
		await new Promise((wait) => setTimeout(wait, 100));
	}
	await local.stop();
	project.provide('stateFolders', stateFolders);
	return () => {
		if (!process.env['KEEP_STATE']) rmSync(stateFolders, { recursive: true, force: true });
	};
}
