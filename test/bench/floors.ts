/** Puts the Worker of the floors (`floors-worker.js`) beside the service's Workers, on a port of its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_WORKER, type LocalWorkers } from '../../src/local/workers.ts';

const NAME = 'floors';

/** `port`: where the floors are served. */
export const withFloors =
	(port: number) =>
	(workers: LocalWorkers): LocalWorkers => {
		const api = workers.find(({ name }) => name === API_WORKER);
		const floors = {
			name: NAME,
			modules: true as const,
			script: readFileSync(join(import.meta.dirname, 'floors-worker.js'), 'utf8'),
			compatibilityDate: '2026-11-01',
			serviceBindings: { API: API_WORKER },
			d1Databases: api?.d1Databases,
			durableObjects: { BARE: { className: 'Bare', useSQLite: true } },
			unsafeDirectSockets: [{ host: '127.0.0.1', port }],
		};
		return [...workers, floors as unknown as LocalWorkers[number]];
	};
