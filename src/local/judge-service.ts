/**
 * The signer's house, or the co-signer, on this machine: the same Worker that is deployed, alone in a workerd, with a state folder
 * of its own.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { isVariableOf } from '../configuration/variables.ts';
import { lineFiles } from './line-files.ts';
import { isFree } from './ports.ts';
import { localSecrets } from './secrets.ts';
import { tellGuardian } from './service.ts';
import { judgeWorker, type LocalJudge } from './workers.ts';

interface JudgeOptions {
	readonly judge: LocalJudge;
	readonly stateDirectory: string;
	readonly port: number;
	/** The signer's, with those that it shares with the service. Without `SEED` the folder's own is taken, or made. */
	readonly variables: Readonly<Record<string, string>>;
}

const SHARED: Readonly<Record<LocalJudge, readonly string[]>> = {
	house: ['SEAL_KEY', 'HOUSE_KEY', 'LINK_URL'],
	cosigner: ['SEAL_KEY', 'COSIGNER_KEY', 'COSIGNED'],
};

/** @throws Error, one line, where a variable is missing or the port is taken */
export async function startJudge({ judge, stateDirectory, port, variables }: JudgeOptions) {
	const missing = SHARED[judge].filter((name) => !variables[name]);
	if (missing.length > 0) throw new Error(`${missing.join(', ')} missing: the ${judge} shares them with the service`);
	if (!(await isFree(port))) throw new Error(`port ${port} is in use; set PORT to another one`);
	const folder = resolve(stateDirectory);
	const own = Object.entries(variables).filter(([name]) => isVariableOf('signer', name));
	const bindings = { SEED: localSecrets(folder).SEED, ...Object.fromEntries(own) };
	const dataDirectory = join(folder, 'data');
	mkdirSync(dataDirectory, { recursive: true });
	const writeLine = lineFiles(folder);
	const miniflare = new Miniflare(
		convertV4MiniflareOptions({
			workers: [await judgeWorker(judge, bindings, port)],
			resourcePersistencePath: dataDirectory,
			handleStructuredLogs: ({ timestamp, message }) => writeLine(new Date(timestamp).toISOString(), message),
			log: new Log(LogLevel.ERROR),
		}),
	);
	tellGuardian();
	await miniflare.ready;
	tellGuardian();
	return { url: `http://127.0.0.1:${port}/`, stop: () => miniflare.dispose() };
}
