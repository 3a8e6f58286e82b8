/**
 * The whole service on this machine: both Workers in one workerd, D1, Durable Objects, KV and Queues under one state
 * folder, migrations applied, and a stand-in for the platform's Cron Triggers, which do not fire locally. `npm start`
 * and the tests run exactly this.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import type { NetworkName } from '../catalog/networks.ts';
import { networkMode, offeredNetworks } from '../chains/configuration.ts';
import { type Market, networkReport } from '../pricing/market.ts';
import { MARKET_KEY } from '../pricing/market-reader.ts';
import { freePort, isFree } from './free-port.ts';
import { applyMigrations } from './migrate.ts';
import { type LocalSecrets, localSecrets } from './secrets.ts';
import { API_WORKER, localWorkers, MIGRATIONS_DIRECTORY, SIGNER_WORKER } from './workers.ts';

const CRON_MILLISECONDS = 60_000;
const READY_MILLISECONDS = 30_000;

export interface LocalOptions {
	readonly stateDirectory: string;
	/** 0: any free port. */
	readonly port: number;
	/**
	 * Variables of both Workers, but for the signer's alone; over the defaults (sandbox on, webhooks to loopback allowed) and
	 * over the secrets of the state folder.
	 */
	readonly variables?: Readonly<Record<string, string>>;
	/** Over these, in the signer. */
	readonly signerVariables?: Readonly<Record<string, string>>;
}

export interface LocalService {
	readonly url: string;
	readonly port: number;
	readonly secrets: LocalSecrets;
	readonly miniflare: Miniflare;
	/** Runs the cron's work once. */
	runScheduled(): Promise<void>;
	stop(): Promise<void>;
}

/** Variables that the API Worker must not have. */
const SIGNERS_ALONE: readonly string[] = ['MONERO_COLD_WALLET_URL', 'SEED'];
/** Variables that the signer must not have. */
const APIS_ALONE = /^(OPERATOR_TOKEN|(SECRETS|API_KEY)_KEY.*)$/;
const LOCAL_DEFAULTS = { SANDBOX: 'on', WEBHOOK_LOOPBACK: 'allowed' };

/** @throws when the port is taken, or the service does not quote within 30 s. */
export async function startService(options: LocalOptions): Promise<LocalService> {
	const stateDirectory = resolve(options.stateDirectory);
	const secrets: LocalSecrets = { ...localSecrets(stateDirectory), ...options.variables };
	const port = options.port || (await freePort());
	// workerd's own message is hard to read.
	if (!(await isFree(port))) throw new Error(`port ${port} is in use; set PORT to another one`);
	const guardian = startGuardian();
	const miniflare = await startMiniflare(stateDirectory, { ...secrets }, options.signerVariables ?? {}, port);
	try {
		await applyMigrations(await miniflare.getD1Database('DB', API_WORKER), MIGRATIONS_DIRECTORY);
		const runScheduled = async () => {
			const worker = await miniflare.getWorker(API_WORKER);
			await worker.scheduled({ cron: '* * * * *' });
		};
		await runScheduled();
		const url = `http://127.0.0.1:${port}`;
		await untilServing(miniflare, { ...LOCAL_DEFAULTS, ...options.variables });
		const cron = setInterval(
			() => runScheduled().catch((error) => console.error('scheduled work failed:', error)),
			CRON_MILLISECONDS,
		);
		const stop = async () => {
			clearInterval(cron);
			await miniflare.dispose();
			endGuardian(guardian);
		};
		return { url, port, secrets, miniflare, runScheduled, stop };
	} catch (error) {
		await miniflare.dispose();
		endGuardian(guardian);
		throw error;
	}
}

async function startMiniflare(
	stateDirectory: string,
	variables: Readonly<Record<string, string>>,
	signerVariables: Readonly<Record<string, string>>,
	port: number,
): Promise<Miniflare> {
	const given = Object.entries({ ...LOCAL_DEFAULTS, ...variables });
	const api = Object.fromEntries(given.filter(([name]) => !SIGNERS_ALONE.includes(name)));
	const signer = { ...Object.fromEntries(given.filter(([name]) => !APIS_ALONE.test(name))), ...signerVariables };
	const workers = await localWorkers({ [API_WORKER]: api, [SIGNER_WORKER]: signer }, port);
	mkdirSync(stateDirectory, { recursive: true });
	const logFile = createWriteStream(join(stateDirectory, 'service.log'), { flags: 'a', mode: 0o600 });
	const miniflare = new Miniflare(
		convertV4MiniflareOptions({
			workers,
			resourcePersistencePath: join(stateDirectory, 'data'),
			handleStructuredLogs: ({ timestamp, message }) =>
				logFile.write(`${new Date(timestamp).toISOString()} ${message}\n`),
			log: new Log(LogLevel.ERROR),
		}),
	);
	await miniflare.ready;
	return miniflare;
}

/** Every network that is on the sandbox quotes and has addresses to give; nodes may be down, and come when they come. */
async function untilServing(miniflare: Miniflare, variables: Readonly<Record<string, string>>): Promise<void> {
	const books = await miniflare.getDurableObjectNamespace('RATE_BOOK', API_WORKER);
	const book = books.get(books.idFromName('book')) as unknown as { market(): Promise<Market> };
	const database = await miniflare.getD1Database('DB', API_WORKER);
	// The first to call may read its snapshot here.
	const cache = await miniflare.getKVNamespace('CACHE', API_WORKER);
	const wanted = offeredNetworks(variables).filter((network) => networkMode(variables, network)?.on === 'sandbox');
	const deadline = Date.now() + READY_MILLISECONDS;
	let waitingFor: readonly string[] = wanted;
	while (waitingFor.length > 0) {
		if (Date.now() > deadline) throw new Error(`not serving after 30 s, waiting for ${waitingFor.join(', ')}`);
		await new Promise((wait) => setTimeout(wait, 50));
		// On a busy machine the first calls may fail; what counts is that they succeed in time.
		waitingFor = await missing().catch(() => wanted);
	}

	async function missing(): Promise<string[]> {
		const kept = (await cache.get(MARKET_KEY, 'json')) as unknown as Market | null;
		const markets = [await book.market(), ...(kept ? [kept] : [])];
		const { results } = await database
			.prepare('SELECT DISTINCT network FROM pay_in_addresses')
			.all<{ network: string }>();
		const filled = new Set(results.map(({ network }) => network));
		const now = Date.now();
		const isSilent = (network: NetworkName) => markets.some((market) => networkReport(market, network, now) === null);
		return wanted.filter((network) => isSilent(network) || !filled.has(network));
	}
}

function startGuardian(): ChildProcess {
	const path = join(import.meta.dirname, 'guardian.ts');
	const guardian = spawn(process.execPath, [path, String(process.pid)], {
		stdio: ['pipe', 'ignore', 'ignore'],
		detached: true,
	});
	guardian.unref();
	return guardian;
}

/** Told that all is well: it ends, and there is nothing left for it to end. */
const endGuardian = (guardian: ChildProcess): boolean => guardian.kill();
