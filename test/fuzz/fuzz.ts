/**
 * `npm run fuzz`: strikes the vault with inputs that `--seed` draws, until `--inputs` are through or `--seconds` of one core
 * have passed. What breaks a rule is made as short as it can be, and printed: `--input HEX` shows it again. `--plant NAME`
 * plants a bug of the simulator's, which must be found.
 */
import { parseArgs } from 'node:util';
import { Random } from '../cast/random.ts';
import { isPlanted, PLANTED } from '../simulate/planted.ts';
import { bundledCodes, withBug } from '../simulate/platform/code.ts';
import { beginnings, fuzzVault } from './vault.ts';

const MOST_BYTES = 250;

const { values } = parseArgs({
	options: {
		inputs: { type: 'string', default: '1000' },
		seconds: { type: 'string', default: 'Infinity' },
		seed: { type: 'string', default: '1' },
		input: { type: 'string' },
		plant: { type: 'string' },
	},
});
const { plant } = values;
if (plant !== undefined && !isPlanted(plant)) {
	console.error(`there is no planted bug ${plant}; there are ${Object.keys(PLANTED).join(', ')}`);
	process.exit(2);
}
const sound = await bundledCodes();
const codes = plant ? await withBug(sound, PLANTED[plant]) : sound;
const begun = await beginnings(codes);
const brokenBy = (bytes: Uint8Array) => fuzzVault(codes, begun, bytes);

const coreSeconds = () => process.cpuUsage().user / 1e6;

async function run(): Promise<boolean> {
	if (values.input !== undefined) return tell(Buffer.from(values.input, 'hex'));
	const random = new Random(Number(values.seed));
	let inputs = 0;
	for (; inputs < Number(values.inputs) && coreSeconds() < Number(values.seconds); inputs++) {
		const bytes = new Uint8Array(1 + random.below(MOST_BYTES));
		random.bytes(bytes);
		const [broken] = await brokenBy(bytes);
		if (broken === undefined) continue;
		console.log(`${broken}; it is made shorter`);
		return tell(await shortest(bytes));
	}
	console.log(`${inputs} inputs in ${coreSeconds().toFixed(0)} s of one core: nothing broken`);
	return true;
}

async function tell(bytes: Uint8Array): Promise<boolean> {
	const broken = await brokenBy(bytes);
	for (const line of broken) console.log(line);
	console.log(`${broken.length > 0 ? 'broken' : 'nothing broken'}: --input ${Buffer.from(bytes).toString('hex')}`);
	return broken.length === 0;
}

/** Takes away ever smaller parts while the rest still breaks a rule. */
async function shortest(bytes: Uint8Array): Promise<Uint8Array> {
	let found = bytes;
	for (let size = found.length >> 1; size > 0; size >>= 1)
		for (let from = 0; from < found.length; ) {
			const rest = Buffer.concat([found.subarray(0, from), found.subarray(from + size)]);
			if (rest.length < found.length && (await brokenBy(rest)).length > 0) found = rest;
			else from += size;
		}
	return found;
}

process.exitCode = (await run()) ? 0 : 1;
