/** The service with both Workers counting what they ask of the platform. */
import { join } from 'node:path';
import { build } from 'esbuild';
import type { LocalOptions } from '../../../src/local/service.ts';
import { API_WORKER, type LocalWorkers, SIGNER_WORKER, TEXTS } from '../../../src/local/workers.ts';
import type { TestService } from '../service.ts';
import type { Counted, CountedEvent, Counts } from './counter.ts';

/** The type of what wrangler reads from the configuration does not name them. */
type Flagged = { readonly compatibilityFlags?: readonly string[] };

/** For `serviceForFile`. */
export const COUNTING: Required<Pick<LocalOptions, 'arrange'>> = {
	arrange: (workers: LocalWorkers) =>
		Promise.all(
			workers.map(async (worker) => ({
				...worker,
				script: await bundle(worker.name === API_WORKER ? 'api.ts' : 'signer.ts'),
				compatibilityFlags: [...((worker as Flagged).compatibilityFlags ?? []), 'nodejs_als'],
			})),
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

/** The events of both Workers since they were last taken. */
export async function takeEvents({ local, url }: TestService): Promise<CountedEvent[]> {
	const signer = await local.miniflare.getWorker(SIGNER_WORKER);
	const [ofApi, ofSigner] = await Promise.all([fetch(`${url}/counted`), signer.fetch('http://signer/')]);
	return [...((await ofApi.json()) as CountedEvent[]), ...((await ofSigner.json()) as CountedEvent[])];
}

export function sumOf(events: readonly CountedEvent[]): Counts {
	const sum: Counts = {};
	for (const { counts } of events)
		for (const [what, by] of Object.entries(counts) as [Counted, number][]) sum[what] = (sum[what] ?? 0) + by;
	return sum;
}
