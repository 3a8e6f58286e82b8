/**
 * `npm run simulate`: seeds from `--seed` on, until `--faults` have been struck, or `--seconds` of one core have passed. Each
 * failing seed is printed and is enough to see it again. `--drawn TEXT` takes other seeds for each text, such as the name
 * of a commit. `--enumerate` strikes each effect of each flow instead.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Coverage } from './coverage.ts';
import { enumerate } from './enumerate.ts';
import { isPlanted, PLANTED } from './planted.ts';
import { bundledCodes, type Codes, withBug } from './platform/code.ts';
import { type Outcome, runSeed, SMALL, USUAL } from './run.ts';

/** Each of so many seeds is run twice, and must be the same to the last effect. */
const TWICE_EVERY = 50;
const PROGRESS_EVERY = 10;

const { values } = parseArgs({
	options: {
		faults: { type: 'string', default: '1000000' },
		seconds: { type: 'string', default: 'Infinity' },
		seed: { type: 'string', default: '1' },
		drawn: { type: 'string' },
		/** Ethereum has a node, with sweeps, and with a price of gas that leaps. */
		node: { type: 'boolean', default: false },
		small: { type: 'boolean', default: false },
		trace: { type: 'string' },
		plant: { type: 'string' },
		enumerate: { type: 'boolean', default: false },
		pairs: { type: 'boolean', default: false },
		sample: { type: 'string' },
		flow: { type: 'string', default: '' },
	},
});

const { plant } = values;
const size = values.small ? SMALL : USUAL;
const isOnNode = values.node;
if (plant !== undefined && !isPlanted(plant)) {
	console.error(`there is no planted bug ${plant}; there are ${Object.keys(PLANTED).join(', ')}`);
	process.exit(2);
}
const sound = await bundledCodes();
const codes = plant ? await withBug(sound, PLANTED[plant]) : sound;
const sample = values.sample === undefined ? null : Number(values.sample);
const asked = { hasPairs: values.pairs, sample, only: values.flow };
const failed = values.enumerate ? await enumerate(codes, asked, console.log) : await runSeeds(codes);
process.exitCode = failed === 0 ? 0 : 1;

function coreSeconds(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1e6;
}

/** Above the seeds that every run takes, and so many that no two texts share theirs. */
function drawnFrom(text: string): number {
	return 1_000_000 + createHash('sha256').update(text).digest().readUIntBE(0, 5);
}

/** With a planted bug it ends at the first failure: how soon that comes is what is asked. Returns the failures. */
async function runSeeds(code: Codes): Promise<number> {
	const coverage = new Coverage();
	const [limit, seconds] = [Number(values.faults), Number(values.seconds)];
	const first = values.drawn === undefined ? Number(values.seed) : drawnFrom(values.drawn);
	console.log(`seeds from ${first} on`);
	let [passed, failures, faults, payments] = [0, 0, 0, 0];
	for (let seed = first; faults < limit && coreSeconds() < seconds && !(plant && failures > 0); seed++) {
		const outcome = await runSeed(code, seed, { traced: values.trace !== undefined, size, isOnNode });
		faults += outcome.faults;
		payments += outcome.payments;
		coverage.add(outcome.struck);
		const broken = [
			...outcome.broken,
			...(!plant && (seed - first) % TWICE_EVERY === 0 ? await repeated(code, outcome) : []),
		];
		if (broken.length > 0) failures += 1;
		else passed += 1;
		tell(outcome, broken, faults);
	}
	for (const line of coverage.lines()) console.log(line);
	const spent = coreSeconds();
	console.log(
		`${faults} faults in ${spent.toFixed(0)} s of one core (${(faults / spent).toFixed(0)} a second), ${payments} payments: ${passed} seeds passed, ${failures} failed`,
	);
	return failures;
}

async function repeated(code: Codes, { seed, digest }: Outcome): Promise<string[]> {
	const again = await runSeed(code, seed, { size, isOnNode });
	return again.digest === digest ? [] : [`seed ${seed} was not the same run twice: ${digest}, ${again.digest}`];
}

function tell(outcome: Outcome, broken: readonly string[], faults: number): void {
	const { seed, trace } = outcome;
	if (broken.length > 0) {
		console.log(
			`seed ${seed} FAILED after ${outcome.faults} faults (npm run simulate -- --seed ${seed} --faults 1 --trace FILE)`,
		);
		for (const what of broken.slice(0, 8)) console.log(`  ${what}`);
	}
	if (values.trace && trace) writeFileSync(values.trace, `${[...trace, ...outcome.lines].join('\n')}\n`);
	if (seed % PROGRESS_EVERY === 0) console.log(`seed ${seed}: ${faults} faults so far`);
}
