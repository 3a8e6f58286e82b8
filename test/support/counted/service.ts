/** The service with its Workers counting what they ask of the platform. */
import { join } from 'node:path';
import { build } from 'esbuild';
import type { LocalOptions } from '../../../src/local/service.ts';
import {
	AGENTS_WORKER,
	API_WORKER,
	type LocalWorkers,
	OPERATOR_WORKER,
	PAGES_WORKER,
	SIGNER_WORKER,
	TEXTS,
} from '../../../src/local/workers.ts';
import type { TestService } from '../service.ts';
import type { Counted, CountedEvent, Counts } from './counter.ts';

/** The type of what wrangler reads from the configuration does not name them. */
type Flagged = { readonly compatibilityFlags?: readonly string[] };

/** The files that count, by Worker. */
const COUNTED: Readonly<Record<string, string>> = {
	[API_WORKER]: 'api.ts',
	[AGENTS_WORKER]: 'agents.ts',
	[SIGNER_WORKER]: 'signer.ts',
	[OPERATOR_WORKER]: 'operator.ts',
};

const arranged = (counted: Readonly<Record<string, string>>) => (workers: LocalWorkers) =>
	Promise.all(
		workers.map(async (worker) => {
			const file = counted[worker.name];
			if (!file) return worker;
			const compatibilityFlags = [...((worker as Flagged).compatibilityFlags ?? []), 'nodejs_als'];
			return { ...worker, script: await bundleOnce(file), compatibilityFlags };
		}),
	);

type Counting = Required<Pick<LocalOptions, 'arrange'>>;

/** For `serviceForFile`. */
export const COUNTING: Counting = { arrange: arranged(COUNTED) };
/** The same of the two Workers that a page goes through. */
export const COUNTING_CONSOLE: Counting = { arrange: arranged({ [PAGES_WORKER]: 'pages.ts', [API_WORKER]: 'api.ts' }) };

const bundles = new Map<string, Promise<string>>();

/** Once in a process, however many services it starts. */
function bundleOnce(entry: string): Promise<string> {
	const bundled = bundles.get(entry) ?? bundle(entry);
	bundles.set(entry, bundled);
	return bundled;
}

async function bundle(entry: string): Promise<string> {
	const { outputFiles } = await build({
		entryPoints: [join(import.meta.dirname, entry)],
		bundle: true,
		write: false,
		format: 'esm',
		target: 'es2024',
		conditions: ['workerd', 'worker', 'browser'],
		external: ['cloudflare:*', 'node:*'],
		loader: TEXTS,
	});
	return outputFiles[0]?.text ?? '';
}

/** The events of all these Workers since they were last taken. */
export async function takeEvents({ local, url }: TestService): Promise<CountedEvent[]> {
	const others = [AGENTS_WORKER, SIGNER_WORKER, OPERATOR_WORKER].map((name) => eventsOf(local, name));
	const own = fetch(`${url}/counted`).then((answer) => answer.json() as Promise<CountedEvent[]>);
	return (await Promise.all([own, ...others])).flat();
}

/** Those of the pages Worker. */
export const takePageEvents = ({ local }: TestService): Promise<CountedEvent[]> => eventsOf(local, PAGES_WORKER);

/** Those of the console's pages, and of what the desk judges for them. */
export async function takeConsoleEvents(service: TestService): Promise<CountedEvent[]> {
	const own = fetch(`${service.url}/counted`).then((answer) => answer.json() as Promise<CountedEvent[]>);
	const all = (await Promise.all([own, takePageEvents(service)])).flat();
	return all.filter(({ label }) => /^(?:page|desk) /.test(label));
}

async function eventsOf({ miniflare }: TestService['local'], name: string): Promise<CountedEvent[]> {
	const worker = await miniflare.getWorker(name);
	return (await worker.fetch('http://counted/')).json() as Promise<CountedEvent[]>;
}

/** How many calls of other Workers a command of the operator makes, in the events whose labels match. */
export async function callsOf(service: TestService, command: string, asked: RegExp): Promise<number> {
	await takeEvents(service);
	await service.operator(command);
	const events = await takeEvents(service);
	const { signer = 0, pages = 0 } = sumOf(events.filter(({ label }) => asked.test(label)));
	if (signer === 0) throw new Error(`${command} does not ask the signer`);
	return signer + pages;
}

export function sumOf(events: readonly CountedEvent[]): Counts {
	const sum: Counts = {};
	for (const { counts } of events)
		for (const [what, by] of Object.entries(counts) as [Counted, number][]) sum[what] = (sum[what] ?? 0) + by;
	return sum;
}
