/**
 * Runs a judge on this machine, on PORT, its state under STATE_DIR. It ends as `npm start` does, and the next start goes on.
 */
import { join } from 'node:path';
import { configuredVariables } from './environment.ts';
import { startJudge } from './judge-service.ts';
import { lock, onceOnly, whenOrphaned } from './running.ts';
import { makeStateFolder } from './state-folder.ts';
import type { LocalJudge } from './workers.ts';

interface Running {
	readonly judge: LocalJudge;
	readonly called: string;
	readonly defaults: { readonly stateDirectory: string; readonly port: number };
}

async function run({ judge, called, defaults }: Running): Promise<void> {
	const stateDirectory = process.env['STATE_DIR'] || defaults.stateDirectory;
	const port = Number(process.env['PORT'] || defaults.port);
	if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`PORT is no port: ${process.env['PORT']}`);
	const variables = configuredVariables(process.env);
	makeStateFolder(stateDirectory);
	const unlock = await lock(stateDirectory);
	let stop = async () => unlock();
	const stopOnce = onceOnly(() => stop().finally(() => process.exit(0)));
	process.on('SIGINT', stopOnce);
	process.on('SIGTERM', stopOnce);
	whenOrphaned(stopOnce);
	const running = await startJudge({ judge, stateDirectory, port, variables });
	stop = async () => {
		await running.stop();
		unlock();
	};
	console.log(`The ${called} answers ${running.url} (state in ${stateDirectory}).`);
	console.log(
		`Its seed is in ${join(stateDirectory, 'secrets.json')}, unless SEED is set. It answers signed calls alone.`,
	);
}

export const runJudge = (running: Running): Promise<void> =>
	run(running).catch((error) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	});
