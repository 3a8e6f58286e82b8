/**
 * `npm run house`: the signer in a house of its own on this machine, on PORT (default 8788), its state under STATE_DIR
 * (default .house). It ends as `npm start` does, and the next start goes on.
 */
import { join } from 'node:path';
import { configuredVariables } from './environment.ts';
import { startHouse } from './house-service.ts';
import { lock, onceOnly, whenOrphaned } from './running.ts';
import { makeStateFolder } from './state-folder.ts';

const stateDirectory = process.env['STATE_DIR'] || '.house';
const port = Number(process.env['PORT'] || 8788);

async function main(): Promise<void> {
	if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`PORT is no port: ${process.env['PORT']}`);
	const variables = configuredVariables(process.env);
	makeStateFolder(stateDirectory);
	const unlock = await lock(stateDirectory);
	let stop = async () => unlock();
	const stopOnce = onceOnly(() => stop().finally(() => process.exit(0)));
	process.on('SIGINT', stopOnce);
	process.on('SIGTERM', stopOnce);
	whenOrphaned(stopOnce);
	const house = await startHouse({ stateDirectory, port, variables });
	stop = async () => {
		await house.stop();
		unlock();
	};
	console.log(`The signer's house answers ${house.url} (state in ${stateDirectory}).`);
	console.log(
		`Its seed is in ${join(stateDirectory, 'secrets.json')}, unless SEED is set. It answers signed calls alone.`,
	);
}

main().catch((error) => {
	console.error(error instanceof Error ? error.message : error);
	process.exit(1);
});
