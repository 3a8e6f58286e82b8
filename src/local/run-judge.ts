/**
 * Runs a judge on this machine, on PORT, its state under STATE_DIR. It ends as `npm start` does, and the next start goes on.
 */
import { join } from 'node:path';
import { configuredVariables } from './environment.ts';
import { startJudge } from './judge-service.ts';
import { holdFolder, orExit, portOf } from './running.ts';
import type { LocalJudge } from './workers.ts';

interface Running {
	readonly judge: LocalJudge;
	readonly called: string;
	readonly defaults: { readonly stateDirectory: string; readonly port: number };
}

async function run({ judge, called, defaults }: Running): Promise<void> {
	const stateDirectory = process.env['STATE_DIR'] || defaults.stateDirectory;
	const port = portOf(defaults.port);
	const variables = configuredVariables(process.env);
	const endWith = await holdFolder(stateDirectory);
	const running = await startJudge({ judge, stateDirectory, port, variables });
	endWith(() => running.stop());
	console.log(`The ${called} answers ${running.url} (state in ${stateDirectory}).`);
	console.log(
		`Its seed is in ${join(stateDirectory, 'secrets.json')}, unless SEED is set. It answers signed calls alone.`,
	);
}

export const runJudge = (running: Running): Promise<void> => orExit(run(running));
