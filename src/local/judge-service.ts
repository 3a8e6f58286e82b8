/**
 * `npm run house` and `npm run cosigner`: the signer's house, or the co-signer, on this machine: the same Worker that is deployed,
 * alone in a workerd, on PORT, its state under STATE_DIR. It ends as `npm start` does, and the next start goes on.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { isVariableOf } from '../configuration/variables.ts';
import { configuredVariables } from './environment.ts';
import { lineFiles } from './line-files.ts';
import { isFree } from './ports.ts';
import { holdFolder, orExit, portOf } from './running.ts';
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
async function startJudge({ judge, stateDirectory, port, variables }: JudgeOptions) {
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

const OWN: Readonly<Record<LocalJudge, { readonly called: string; readonly folder: string; readonly port: number }>> = {
	house: { called: "signer's house", folder: '.house', port: 8788 },
	cosigner: { called: 'co-signer', folder: '.cosigner', port: 8790 },
};

async function main(judge: LocalJudge): Promise<void> {
	const stateDirectory = process.env['STATE_DIR'] || OWN[judge].folder;
	const port = portOf(OWN[judge].port);
	const variables = configuredVariables(process.env);
	const endWith = await holdFolder(stateDirectory);
	const running = await startJudge({ judge, stateDirectory, port, variables });
	endWith(() => running.stop());
	console.log(`The ${OWN[judge].called} answers ${running.url} (state in ${stateDirectory}).`);
	console.log(
		`Its seed is in ${join(stateDirectory, 'secrets.json')}, unless SEED is set. It answers signed calls alone.`,
	);
}

if (import.meta.main) orExit(main(process.argv[2] === 'cosigner' ? 'cosigner' : 'house'));
