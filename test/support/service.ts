/**
 * The real service for a test file: both Workers in workerd, as `npm start` runs them, on a state folder of its own.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { AssetId } from '../../src/catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName } from '../../src/catalog/networks.ts';
import { freePort } from '../../src/local/ports.ts';
import { type LocalOptions, type LocalService, startService } from '../../src/local/service.ts';
import { type WorkerSources, withoutPages, workerSources } from '../../src/local/workers.ts';
import { operate } from '../cast/operator.ts';
import { madeInRun, runFolders } from './run-folders.ts';
import { MIGRATED, NEVER_IDLE, SOURCES, TEMPLATE } from './template.ts';
import { type TestWorker, testWorker, throughTestWorker } from './test-worker.ts';

/** A test's nodes are on test chains unless it says otherwise: with a main chain there is no sandbox. */
function withTestChains(variables: Readonly<Record<string, string>>): Record<string, string> {
	const networks = Object.keys(variables).flatMap((name) => /^NODE_URL_([A-Z]+)$/.exec(name)?.[1] ?? []);
	return { ...Object.fromEntries(networks.map((name) => [`NODE_CHAIN_${name}`, 'regtest'])), ...variables };
}

/** Making addresses takes the most time of a start without the template. */
export const FEW_ADDRESSES = { ADDRESS_POOL: '50' };
/** What starts on nodes has no template. */
const LEAST_ADDRESSES = { ADDRESS_POOL: '10' };
/** On real nodes the signer signs nothing until its operator has set its cap; a test of this sets it to ''. */
const CAP_ON_NODES = { SIGNER_DAILY_CAP_USD: '1000000' };
/** At the other end of most orders, so tests wait for what only their polls do. */
const BUSY: readonly NetworkName[] = ['Litecoin', 'Ethereum'];

/** Where a network is on nodes, that one is under test: the others need no pace. */
const paceOnSandbox = (variables: Readonly<Record<string, string>>): Record<string, string> =>
	Object.fromEntries(
		NETWORK_NAMES.filter((name) => !BUSY.includes(name))
			.map((name) => name.toUpperCase())
			.filter((name) => !(`NODE_URL_${name}` in variables))
			.map((name) => [`NODE_POLL_SECONDS_${name}`, '30']),
	);

/** The default variables of a test's service, in this process or in one of its own. */
export function testVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
	const isOnNodes = Object.keys(variables).some((name) => name.startsWith('NODE_URL_'));
	const nodes = isOnNodes ? { ...LEAST_ADDRESSES, ...CAP_ON_NODES } : FEW_ADDRESSES;
	return { ...nodes, ...NEVER_IDLE, ...paceOnSandbox(variables), ...withTestChains(variables) };
}

export interface TestService extends TestWorker {
	readonly url: string;
	readonly local: LocalService;
	readonly stateDirectory: string;
	/** A command of the operator API, `partner/create` say: the answer's data. @throws what the API says is wrong. */
	operator<T = Record<string, unknown>>(command: string, input?: unknown): Promise<T>;
	/** Straight into D1, for what only an attacker or an older version would write. */
	sql<T = Record<string, unknown>>(statement: string, ...values: unknown[]): Promise<T[]>;
	/** The address of a network's hot wallet, from the signer. */
	hotAddress(network: string): Promise<string>;
	/** Lines of the service's log that are about `event`, parsed. */
	logged(event: string): Record<string, unknown>[];
}

interface Arranged extends Pick<LocalOptions, 'arrange' | 'inspectorPort' | 'linkPort'> {
	/** Serves the pages too. */
	readonly pages?: boolean;
}

let sources: WorkerSources | null = null;

/** Read once in a process; made where nobody has made them ahead. */
async function bundledOnce(): Promise<WorkerSources> {
	sources ??= runFolders()
		? (JSON.parse(readFileSync(await madeInRun(SOURCES), 'utf8')) as WorkerSources)
		: await workerSources({ minify: true });
	return sources;
}

/**
 * A started service; the caller stops it with `local.stop()`. Without a `stateDirectory` of an earlier one it starts
 * from the template where it is on the sandbox alone, else with a migrated D1 and nothing else.
 */
export async function startTestService(
	variables: Readonly<Record<string, string>> = {},
	earlier?: string,
	signerVariables: Readonly<Record<string, string>> = {},
	{ arrange, pages = false, ...more }: Arranged = {},
): Promise<TestService> {
	const folders = runFolders();
	const stateDirectory = earlier ?? mkdtempSync(join(folders ?? tmpdir(), 'state-'));
	const isSandbox = !Object.keys(variables).some((name) => /^(NODE_URL_|PRICES$)/.test(name));
	if (folders && !existsSync(join(stateDirectory, 'data'))) {
		const made = await madeInRun(earlier === undefined && isSandbox ? TEMPLATE : MIGRATED);
		cpSync(made, stateDirectory, { recursive: true });
	}
	const configured = { variables: testVariables(variables), signerVariables };
	const testPort = await freePort();
	const local = await startService({
		stateDirectory,
		port: 0,
		...configured,
		...more,
		sources: await bundledOnce(),
		// What a page costs at a start, only tests of pages pay.
		arrange: async (workers) => {
			const arranged = arrange ? await arrange(workers) : workers;
			return [...(pages ? arranged : withoutPages(arranged)), testWorker(testPort, arranged)];
		},
	});
	const through = throughTestWorker(testPort);
	return {
		...through,
		url: local.url,
		local,
		stateDirectory,
		operator: operatorAt(local.url, local.secrets.OPERATOR_TOKEN),
		async sql<T>(statement: string, ...values: unknown[]) {
			const { results } = await through.database
				.prepare(statement)
				.bind(...values)
				.all<T>();
			return results;
		},
		hotAddress: (network) => through.object<Pick<TestService, 'hotAddress'>>('VAULT', 'vault').hotAddress(network),
		logged(event) {
			return readFileSync(join(stateDirectory, 'service.log'), 'utf8')
				.split('\n')
				.map((line) => line.slice(line.indexOf('{')))
				.filter((line) => line.startsWith(`{"event":"${event}"`))
				.map((line) => JSON.parse(line) as Record<string, unknown>);
		},
	};
}

/** The commands of the operator API of the service at `url`. */
export const operatorAt =
	(url: string, operatorToken: string): TestService['operator'] =>
	async <T>(command: string, input: unknown = {}) => {
		const answer = await operate<T>({ url, operatorToken }, command, input);
		if (!answer.ok) throw new Error(`operator ${command}: ${answer.error}`);
		return answer.data;
	};

/** Lets create accept orders to these assets though the hot wallets cannot pay them yet. */
export async function takeBeyondReserve(
	{ operator }: Pick<TestService, 'operator'>,
	...codes: AssetId[]
): Promise<void> {
	for (const code of codes) await operator('asset/update', { code, beyondReserve: true });
}

/** One service for all tests of a file; read `current()` inside tests and hooks only. */
export function serviceForFile(
	variables: Readonly<Record<string, string>> = {},
	more: Arranged = {},
): { current: () => TestService } {
	let service: TestService | null = null;
	beforeAll(async () => {
		service = await startTestService(variables, undefined, {}, more);
	});
	afterAll(async () => {
		await service?.local.stop();
		if (service && !process.env['KEEP_STATE']) rmSync(service.stateDirectory, { recursive: true, force: true });
	});
	return {
		current() {
			if (!service) throw new Error('the service has not been started yet');
			return service;
		},
	};
}

/** Long enough to load the next file, and to compile what it needs, on a busy machine too. */
const SHARED_MILLISECONDS = 15_000;
/** A row that a file has put back says what is so without a row too. The next file may insert the same one. */
const SETTINGS_BY_NAME = ['network_settings', 'asset_settings', 'pair_settings'];
let shared: { readonly service: Promise<TestService>; ending: NodeJS.Timeout | null } | null = null;

/**
 * One service for the files of a worker process, one after the other. Such a file works beside what earlier files have
 * left: it counts no rows but those of its own partners and orders, and searches the log for its own calls alone. It
 * leaves settings, prices and tables as it found them, also when a test fails. Its orders and partners may stay. It
 * serves the pages too, which costs its start a little and saves each file of pages a start of its own.
 * It stops when no file has taken it for a while; the guardian of `local/service.ts` stops the last.
 */
export function sharedService(): { current: () => TestService } {
	let service: TestService | null = null;
	beforeAll(async () => {
		if (shared?.ending) clearTimeout(shared.ending);
		shared ??= { service: startTestService({}, undefined, {}, { pages: true }), ending: null };
		service = await shared.service;
	});
	afterAll(async () => {
		for (const table of SETTINGS_BY_NAME) await service?.sql(`DELETE FROM ${table}`);
		if (shared) shared.ending = setTimeout(stopShared, SHARED_MILLISECONDS);
	});
	return {
		current() {
			if (!service) throw new Error('the service has not been started yet');
			return service;
		},
	};
}

function stopShared(): void {
	const ended = shared?.service;
	shared = null;
	ended?.then(({ local }) => local.stop()).catch((error) => console.error('the shared service did not stop:', error));
}

/** What ends soon is seen soon; what takes long is asked less often, for each probe costs both processes. */
const PROBE_MILLISECONDS = { first: 25, most: 250 };
/** For what only the next poll of an agent on a node changes: a probe between two polls sees nothing, and costs as much as one. */
export const POLL_MILLISECONDS = { first: 500, most: 1_000 };
const PAUSE_GROWTH = 1.25;
/** Ten times what the slowest of these needs while nothing else runs. */
const PATIENCE_MILLISECONDS = 40_000;

/** Polls until `probe` gives something, after pauses that grow. @throws with `what` after `milliseconds`. */
export async function eventually<T>(
	what: string,
	probe: () => Promise<T | null | undefined | false>,
	milliseconds = PATIENCE_MILLISECONDS,
	{ first, most } = PROBE_MILLISECONDS,
): Promise<T> {
	const deadline = Date.now() + milliseconds;
	for (let pause = first; ; ) {
		const found = await probe();
		if (found) return found;
		if (Date.now() > deadline) throw new Error(`waited ${milliseconds} ms in vain for ${what}`);
		await new Promise((wait) => setTimeout(wait, pause));
		pause = Math.min(pause * PAUSE_GROWTH, most);
	}
}
