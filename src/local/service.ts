/**
 * The whole service on this machine: all Workers in one workerd, D1, Durable Objects, KV and Queues under one state
 * folder, migrations applied before anything runs, and a stand-in for the platform's Cron Triggers, which do not fire locally. `npm start`
 * and the tests run exactly this.
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { type ChainConfiguration, worldConflicts, worldOf } from '../chains/configuration.ts';
import { isVariableOf, type Worker } from '../configuration/variables.ts';
import { lineFiles } from './line-files.ts';
import { migrateAhead } from './migrate.ts';
import { freePort, isFree } from './ports.ts';
import { untilServing } from './readiness.ts';
import { type LocalSecrets, localSecrets } from './secrets.ts';
import {
	AGENTS_WORKER,
	API_WORKER,
	type LocalWorkers,
	localWorkers,
	OPERATOR_WORKER,
	PAGES_WORKER,
	SIGNER_WORKER,
	type WorkerSources,
	withLink,
} from './workers.ts';

const CRON_MILLISECONDS = 60_000;

export interface LocalOptions {
	readonly stateDirectory: string;
	/** 0: any free port. */
	readonly port: number;
	/**
	 * Variables of all Workers, but for the signer's alone; over the defaults (sandbox on, webhooks to loopback allowed) and
	 * over the secrets of the state folder.
	 */
	readonly variables?: Readonly<Record<string, string>>;
	/** Over these, in the signer. */
	readonly signerVariables?: Readonly<Record<string, string>>;
	/** The Workers' sources as an earlier start made them, for a caller that starts many services. */
	readonly sources?: WorkerSources | undefined;
	/** Changes what runs, for tests: another release's Workers, or code that counts what they ask of the platform. */
	readonly arrange?: (workers: LocalWorkers) => LocalWorkers | Promise<LocalWorkers>;
	/** Where the link answers the signer's house, if there is one (`HOUSE_URL`). 0, and without it: any free port. */
	readonly linkPort?: number;
	/** Where debuggers find the isolates; nowhere without it. */
	readonly inspectorPort?: number;
}

export interface LocalService {
	readonly url: string;
	readonly port: number;
	readonly secrets: LocalSecrets;
	/** As the Workers read them, defaults included. */
	readonly variables: Readonly<Record<string, string>>;
	readonly miniflare: Miniflare;
	/** Runs the cron's work once. */
	runScheduled(): Promise<void>;
	stop(): Promise<void>;
}

/** Variables over the defaults of this machine: a sandbox where no real coins are dealt in, webhooks to loopback, and a console by token. */
const withDefaults = (variables: ChainConfiguration): Readonly<Record<string, string>> => ({
	...(worldOf(variables) === 'test' ? { SANDBOX: 'on' } : { DEPLOYMENT: 'local' }),
	WEBHOOK_LOOPBACK: 'allowed',
	CONSOLE_TOKEN_SIGN_IN: 'on',
	...variables,
});

/**
 * Where Miniflare runs the cron of the Worker that a header names. Its `getWorker` stops this process until workerd answers,
 * and workerd stops until this process has read what it logs: with much to log, both wait for ever.
 */
const SCHEDULED = 'http://localhost/cdn-cgi/local/scheduled?format=json';

/** @throws when the port is taken, what is configured would mix two worlds, or a `create` would not succeed within 30 s. */
export async function startService(options: LocalOptions): Promise<LocalService> {
	const stateDirectory = resolve(options.stateDirectory);
	const variables = withDefaults(options.variables ?? {});
	const conflicts = worldConflicts(variables);
	if (conflicts.length > 0) throw new Error(conflicts.join('; '));
	const secrets: LocalSecrets = { ...localSecrets(stateDirectory), ...variables };
	// workerd's own message is hard to read.
	if (options.port && !(await isFree(options.port)))
		throw new Error(`port ${options.port} is in use; set PORT to another one`);
	const port = options.port || (await freePort());
	tellGuardian();
	const miniflare = await startMiniflare(stateDirectory, { ...secrets }, options, port);
	try {
		const runScheduled = async () => {
			for (const name of [API_WORKER, OPERATOR_WORKER]) {
				const asked = { headers: { 'MF-Route-Override': name } };
				const { outcome } = (await (await miniflare.dispatchFetch(SCHEDULED, asked)).json()) as { outcome: string };
				if (outcome !== 'ok') throw new Error(`the cron of ${name} ended with ${outcome}`);
			}
		};
		await runScheduled();
		const url = `http://127.0.0.1:${port}`;
		await untilServing({ url, operatorToken: secrets.OPERATOR_TOKEN, variables });
		const cron = setInterval(
			() => runScheduled().catch((error) => console.error('scheduled work failed:', error)),
			CRON_MILLISECONDS,
		);
		const stop = async () => {
			clearInterval(cron);
			await miniflare.dispose();
		};
		return { url, port, secrets, variables, miniflare, runScheduled, stop };
	} catch (error) {
		await miniflare.dispose();
		throw error;
	}
}

async function startMiniflare(
	stateDirectory: string,
	variables: Readonly<Record<string, string>>,
	{ signerVariables = {}, sources, arrange = (workers) => workers, inspectorPort, linkPort = 0 }: LocalOptions,
	port: number,
): Promise<Miniflare> {
	const ofWorker = (worker: Worker) =>
		Object.fromEntries(Object.entries(variables).filter(([name]) => isVariableOf(worker, name)));
	const signer = { ...ofWorker('signer'), ...signerVariables };
	const others = { [PAGES_WORKER]: ofWorker('pages'), [OPERATOR_WORKER]: ofWorker('operator') };
	const bindings = {
		[API_WORKER]: ofWorker('api'),
		[AGENTS_WORKER]: ofWorker('agents'),
		[SIGNER_WORKER]: signer,
		...others,
	};
	const signerIsHere = await localWorkers(bindings, port, sources);
	const local = variables['HOUSE_URL']
		? await withLink(signerIsHere, ofWorker('link'), linkPort || (await freePort()))
		: signerIsHere;
	const workers = await arrange(local);
	const dataDirectory = join(stateDirectory, 'data');
	mkdirSync(dataDirectory, { recursive: true });
	const [first] = workers;
	if (first) await migrateAhead(dataDirectory, first);
	const writeLine = lineFiles(stateDirectory);
	const miniflare = new Miniflare(
		convertV4MiniflareOptions({
			workers,
			resourcePersistencePath: dataDirectory,
			unsafeTriggerHandlers: true,
			...(inspectorPort && { inspectorPort }),
			handleStructuredLogs: ({ timestamp, message }) => writeLine(new Date(timestamp).toISOString(), message),
			log: new Log(LogLevel.ERROR),
		}),
	);
	await miniflare.ready;
	tellGuardian();
	return miniflare;
}

/** A line written to it announces new processes. One for all services of this process: it ends with it. */
let guardian: Writable | null = null;

export function tellGuardian(): void {
	guardian ??= startGuardian();
	guardian.write('\n');
}

function startGuardian(): Writable {
	const path = join(import.meta.dirname, 'guardian.ts');
	const started = spawn(process.execPath, [path, String(process.pid)], {
		stdio: ['pipe', 'ignore', 'ignore'],
		detached: true,
	});
	started.unref();
	// Neither of them is to keep this process running, and one that somebody has ended is no reason to end.
	(started.stdin as Socket).unref();
	started.stdin.on('error', () => undefined);
	return started.stdin;
}
