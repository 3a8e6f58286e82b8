/** The Workers of the newest release, which the tests run beside those of this clone; `make.ts` makes them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { AGENTS_WORKER, API_WORKER, type LocalWorkers, SIGNER_WORKER } from '../../../src/local/workers.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/release');

/** The commit, and the newest migration that its code knows. */
export const FIXTURE = join(FOLDER, 'release.json');
export const RELEASE_BUNDLES = {
	api: join(FOLDER, 'api.js.br'),
	agents: join(FOLDER, 'agents.js.br'),
	signer: join(FOLDER, 'signer.js.br'),
} as const;

export const release = (): { readonly commit: string; readonly newestMigration: string } =>
	JSON.parse(readFileSync(FIXTURE, 'utf8'));

/** The code of a Worker: this clone's, the release's, or this clone's while its objects still run the release's. */
export type Code = 'newer' | 'older' | 'newer, objects older' | 'older, objects newer';

const codes = new Map<string, string>();

function releaseCode(worker: keyof typeof RELEASE_BUNDLES): string {
	const code = codes.get(worker) ?? brotliDecompressSync(readFileSync(RELEASE_BUNDLES[worker])).toString();
	codes.set(worker, code);
	return code;
}

/** For `startTestService`. */
export const running =
	(code: Readonly<Record<'api' | 'agents' | 'signer', Code>>) =>
	(workers: LocalWorkers): LocalWorkers =>
		(
			[
				[API_WORKER, 'api'],
				[AGENTS_WORKER, 'agents'],
				[SIGNER_WORKER, 'signer'],
			] as const
		).reduce((all, [name, of]) => withCode(all, name, code[of], releaseCode(of)), workers);

function withCode(workers: LocalWorkers, name: string, code: Code, older: string): LocalWorkers {
	return workers.flatMap((worker) => {
		if (worker.name !== name) return code.includes('objects') ? [pointedAtHost(worker, name)] : [worker];
		const [calls, objects] = code.startsWith('older') ? [older, worker.script] : [worker.script, older];
		const called = { ...worker, script: calls };
		return code.includes('objects') ? [pointedAtHost(called, name), hostOf(worker, objects)] : [called];
	});
}

const hostName = (name: string): string => `${name}-objects`;

/** The worker, with every object of the Worker `name` at its host. */
function pointedAtHost(worker: LocalWorker, name: string): LocalWorker {
	const durableObjects = eachObject(worker, (object) =>
		(object.scriptName ?? worker.name) === name ? { ...object, scriptName: hostName(name) } : object,
	);
	return Object.assign({ ...worker }, { durableObjects });
}

/** A Worker that runs the objects of another one, on their storage, and takes no calls. */
function hostOf(worker: LocalWorker, script: string): LocalWorker {
	const { name } = worker;
	const durableObjects = eachObject(worker, (object) =>
		object.scriptName === undefined ? { ...object, unsafeUniqueKey: `${name}-${object.className}` } : object,
	);
	const silent = { script, unsafeDirectSockets: [], queueConsumers: {}, cronTriggers: [] };
	return Object.assign({ ...worker, ...silent }, { name: hostName(name) as typeof name, durableObjects });
}

function eachObject(worker: LocalWorker, change: (object: ObjectBinding) => object): object {
	const { durableObjects } = worker as { readonly durableObjects?: Readonly<Record<string, ObjectBinding>> };
	return Object.fromEntries(Object.entries(durableObjects ?? {}).map(([binding, object]) => [binding, change(object)]));
}

type LocalWorker = LocalWorkers[number];
interface ObjectBinding {
	readonly className: string;
	readonly scriptName?: string;
}
