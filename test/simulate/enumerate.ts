/**
 * Crash points, one after the other: each flow is lived once without a fault, and its effects are counted. Then it is lived
 * again with a fault at each of them, and with faults at pairs of them. After each the world runs on and must come to rest.
 */
import { type Fault, Plan } from './faults.ts';
import { FLOWS, type FlowName } from './flows.ts';
import { brokenAtRest, whatWaits } from './invariants.ts';
import { Crowd } from './people/crowd.ts';
import type { Codes } from './platform/code.ts';
import { Random } from './random.ts';
import { World } from './world.ts';

const STRIKES = ['refused', 'answer lost', 'crash before', 'crash after'] as const satisfies readonly Fault[];
const START = Date.UTC(2026, 0, 5, 9);
const REST_MILLISECONDS = 60_000;
const RESTS = 40;
const HOUR = 3_600_000;
/** By default so many runs are drawn for each flow, singles first. */
const SAMPLE = 18;

interface Lived {
	readonly kinds: readonly string[];
	readonly broken: readonly string[];
}

type Places = ReadonlyMap<number, Fault>;

/** `isWhole`: every place and every pair of places; else a sample of both. Returns the number of failed runs. */
export async function enumerate(codes: Codes, isWhole: boolean, print: (line: string) => void): Promise<number> {
	let [passed, failed] = [0, 0];
	for (const flow of Object.keys(FLOWS) as FlowName[]) {
		const calm = await liveFlow(codes, flow, new Map());
		const [all, runs] = placesOf(calm.kinds.length, isWhole);
		let broken = calm.broken.length > 0 ? 1 : 0;
		if (broken > 0) print(`${flow} without a fault FAILED: ${calm.broken.join('; ')}`);
		for (const at of runs) {
			const lived = await liveFlow(codes, flow, at);
			if (lived.broken.length === 0) continue;
			broken += 1;
			const where = [...at].map(([place, fault]) => `${fault} at ${place} (${lived.kinds[place]})`).join(', ');
			print(`${flow} with ${where} FAILED: ${lived.broken.slice(0, 3).join('; ')}`);
		}
		print(`${flow}: ${calm.kinds.length} effects, ${runs.length} of ${all} runs, ${broken} failed`);
		failed += broken;
		passed += runs.length + 1 - broken;
	}
	print(`${passed} passed, ${failed} failed`);
	return failed;
}

/** How many there are, and those that are run. */
function placesOf(effects: number, isWhole: boolean): [number, Places[]] {
	const singles = STRIKES.length * effects;
	const pairs = (singles * (effects - 1) * STRIKES.length) / 2;
	if (!isWhole) return [singles + pairs, sampled(effects)];
	const struck = Array.from({ length: effects }, (_, place) => STRIKES.map((fault) => [place, fault] as const)).flat();
	const runs: Places[] = struck.map((one) => new Map([one]));
	for (const [i, one] of struck.entries())
		for (const other of struck.slice(i + 1)) if (other[0] !== one[0]) runs.push(new Map([one, other]));
	return [singles + pairs, runs];
}

function sampled(effects: number): Places[] {
	const random = new Random(effects);
	const draw = () => [random.below(effects), random.pick(STRIKES)] as const;
	return Array.from({ length: SAMPLE }, (_, i) => new Map(i % 3 === 2 ? [draw(), draw()] : [draw()]));
}

/** One run; the same places make the same run. */
export async function liveFlow(codes: Codes, flow: FlowName, at: Places): Promise<Lived> {
	const plan = new Plan(at);
	const world = new World(new Random(1), plan, START, false);
	const crowd = new Crowd(world, codes);
	await crowd.open();
	const { before, live } = FLOWS[flow];
	await before?.(crowd);
	plan.isCounting = true;
	await crowd.finished(live(crowd)).catch(() => undefined);
	plan.isCounting = false;
	await world.run(world.now + REST_MILLISECONDS);
	for (let i = 0; i < RESTS && whatWaits(crowd).length > 0; i++) {
		world.leap(HOUR);
		await world.run(world.now + REST_MILLISECONDS);
	}
	return { kinds: plan.kinds, broken: await brokenAtRest(crowd) };
}
