/** The service with its Workers counting what they ask of the platform. */
import { join } from 'node:path';
import { build } from 'esbuild';
import type { LocalOptions } from '../../../src/local/service.ts';
import { API_WORKER, type LocalWorkers, OPERATOR_WORKER, SIGNER_WORKER, TEXTS } from '../../../src/local/workers.ts';
import type { TestService } from '../service.ts';
import type { Counted, CountedEvent, Counts } from './counter.ts';

/** The type of what wrangler reads from the configuration does not name them. */
type Flagged = { readonly compatibilityFlags?: readonly string[] };

/** The files that count, by Worker. */
const COUNTED: Readonly<Record<string, string>> = {
	[API_WORKER]: 'api.ts',
	[SIGNER_WORKER]: 'signer.ts',
	[OPERATOR_WORKER]: 'operator.ts',
};

/** For `serviceForFile`. */
export const COUNTING: Required<Pick<LocalOptions, 'arrange'>> = {
	arrange: (workers: LocalWorkers) =>
		Promise.all(
			workers.map(async (worker) => {
				const file = COUNTED[worker.name];
				if (!file) return worker;
				const compatibilityFlags = [...((worker as Flagged).compatibilityFlags ?? []), 'nodejs_als'];
				return { ...worker, script: await bundle(file), compatibilityFlags };
			}),
		),
};

async function bundle(entry: string): Promise<string> {
	const { outputFiles } = await build({
		...{ entryPoints: [join(import.meta.dirname, entry)], bundle: true, write: false, format: 'esm' },
		...{ target: 'es2024', conditions: ['workerd', 'worker', 'browser'], external: ['cloudflare:*', 'node:*'] },
		loader: TEXTS,
	});
	return outputFiles[0]?.text ?? '';
}

/** The events of all these Workers since they were last taken. */
export async function takeEvents({ local, url }: TestService): Promise<CountedEvent[]> {
	const others = [SIGNER_WORKER, OPERATOR_WORKER].map(async (name) =>
		(await local.miniflare.getWorker(name)).fetch('http://counted/'),
	);
	const answers = await Promise.all([fetch(`${url}/counted`), ...others]);
	return (await Promise.all(answers.map((answer) => answer.json() as Promise<CountedEvent[]>))).flat();
}

export function sumOf(events: readonly CountedEvent[]): Counts {
	const sum: Counts = {};
	for (const { counts } of events)
		for (const [what, by] of Object.entries(counts) as [Counted, number][]) sum[what] = (sum[what] ?? 0) + by;
	return sum;
}
