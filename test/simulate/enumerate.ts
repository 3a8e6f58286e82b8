/**
 * Crash points, one after the other: each flow is lived once without a fault, and the effects on its own path are counted.
 * Then it is lived again with a fault at each of them, and, if pairs are asked for, with a second fault at each effect that
 * then still comes. After each the world runs on and must come to rest. All runs of a flow begin with what was durable
 * before it.
 */
import { Random } from '../cast/random.ts';
import { type Effect, type Fault, Plan } from './faults.ts';
import { FLOWS, type Flow, type FlowName } from './flows.ts';
import { brokenAtRest, brokenInArchive, whatWaits } from './invariants.ts';
import { Crowd, type Saved } from './people/crowd.ts';
import type { Codes } from './platform/code.ts';
import { COSIGNERS_GROUP } from './second-judge.ts';
import { COSIGNER } from './settings.ts';
import { World } from './world.ts';

const STRIKES = ['refused', 'answer lost', 'crash before', 'crash after'] as const satisfies readonly Fault[];
/** Where nothing is written, a lost answer is a refusal. */
const STRIKES_OF_READS = ['refused', 'crash before'] as const satisfies readonly Fault[];
const READS = /^(d1 select|kv get|r2 (get|head)|node )/;
const COSIGNERS_WIRE = `wire ${new URL(COSIGNER).hostname}`;
const START = Date.UTC(2026, 0, 5, 9);
const REST_MILLISECONDS = 60_000;
/** Hours, more than a deposit waits for a decision before it goes back by itself. */
const RESTS = 80;
const HOUR = 3_600_000;
/** The platform promises no alarm to the second, and a poll in which nothing happens shows nothing. */
const ALARM_SLACK = 3_000;
const REST_ALARM_SLACK = 20_000;

type Strike = readonly [place: number, fault: Fault];

interface Lived {
	readonly effects: readonly Effect[];
	readonly broken: readonly string[];
}

export interface Enumeration {
	readonly hasPairs: boolean;
	/** Of the places of a flow, and of the second places after each, so many are drawn; null: all. */
	readonly sample: number | null;
	/** Of all flows those whose name contains it. */
	readonly only: string;
}

/** Returns the number of failed runs. */
export async function enumerate(codes: Codes, asked: Enumeration, print: (line: string) => void): Promise<number> {
	let [runs, failed] = [0, 0];
	for (const flow of (Object.keys(FLOWS) as FlowName[]).filter((name) => name.includes(asked.only))) {
		const done = await enumerateFlow(codes, flow, asked, print);
		runs += done.runs;
		failed += done.failed;
	}
	print(`${runs - failed} passed, ${failed} failed`);
	return failed;
}

async function enumerateFlow(codes: Codes, flow: FlowName, asked: Enumeration, print: (line: string) => void) {
	const begun = process.cpuUsage().user;
	const saved = await beginningOf(codes, flow);
	let [runs, failed] = [0, 0];
	const live = async (strikes: readonly Strike[]): Promise<Lived> => {
		const lived = await liveFlow(codes, flow, saved, strikes);
		runs += 1;
		if (lived.broken.length === 0) return lived;
		failed += 1;
		const where = strikes.map(([place, fault]) => `${fault} at ${place} (${lived.effects[place]?.kind})`);
		print(`${flow} with ${where.join(', ') || 'no fault'} FAILED: ${lived.broken.slice(0, 3).join('; ')}`);
		return lived;
	};
	const calm = await live([]);
	const singles = strikesAfter(calm, -1);
	for (const single of drawn(singles, asked.sample)) {
		const lived = await live([single]);
		if (!asked.hasPairs) continue;
		for (const second of drawn(strikesAfter(lived, single[0]), asked.sample)) await live([single, second]);
	}
	const seconds = ((process.cpuUsage().user - begun) / 1e6).toFixed(0);
	const counts = `${calm.effects.length} effects, ${placesOf(calm).length} on its path, ${singles.length} crash points`;
	print(`${flow}: ${counts}, ${runs} runs, ${failed} failed, ${seconds} s`);
	return { runs, failed };
}

function drawn(strikes: readonly Strike[], sample: number | null): readonly Strike[] {
	if (sample === null || strikes.length <= sample) return strikes;
	const random = new Random(strikes.length);
	return Array.from({ length: sample }, () => random.pick(strikes));
}

const strikesAfter = (lived: Lived, after: number): Strike[] =>
	placesOf(lived)
		.filter((place) => place > after)
		.flatMap((place) => faultsOf(lived.effects[place]).map((fault) => [place, fault] as const));

const faultsOf = (effect: Effect | undefined): readonly Fault[] =>
	effect && !effect.hasChanged && READS.test(effect.kind) ? STRIKES_OF_READS : STRIKES;

/** The effects on the flow's own path: of polls, calls and runs in which some row changed, of the co-signer, and what is told outside. */
function placesOf({ effects }: Lived): number[] {
	const changing = new Set(effects.filter(({ hasChanged }) => hasChanged).map(({ group }) => group));
	return effects.flatMap(({ group, kind, hasChanged }, place) => {
		const isOfCosigner = group?.startsWith(COSIGNERS_GROUP) || kind === COSIGNERS_WIRE;
		const isOnPath = group === null ? hasChanged || kind === 'post webhook' : isOfCosigner || changing.has(group);
		return isOnPath ? [place] : [];
	});
}

/** What is durable before the flow. */
export async function beginningOf(codes: Codes, flow: FlowName): Promise<Saved> {
	const { before, isOnNode = false, isLarge = false, isHoused = false, second }: Flow = FLOWS[flow];
	const plan = new Plan();
	const crowd = new Crowd(new World(new Random(1), plan, START, false), codes, {
		isOnNode,
		capUsd: null,
		isLarge,
		isHoused,
		...(second && { second }),
	});
	await crowd.open();
	crowd.world.alarmSlack = ALARM_SLACK;
	await before?.(crowd, plan);
	return crowd.save();
}

/** One run; the same strikes make the same run. */
export async function liveFlow(codes: Codes, flow: FlowName, saved: Saved, strikes: readonly Strike[]): Promise<Lived> {
	const plan = new Plan(new Map(strikes));
	const world = new World(new Random(1), plan, saved.now, false);
	const { live, isOnNode = false, isLarge = false, isHoused = false, second, archives = false } = FLOWS[flow] as Flow;
	const setting = { isOnNode, capUsd: null, isLarge, isHoused, ...(second && { second }) };
	const crowd = new Crowd(world, codes, setting, saved);
	world.alarmSlack = ALARM_SLACK;
	await world.run(world.now + ALARM_SLACK);
	plan.isCounting = true;
	await crowd.finished(live(crowd)).catch(() => undefined);
	plan.isCounting = false;
	world.alarmSlack = REST_ALARM_SLACK;
	await world.run(world.now + REST_MILLISECONDS);
	for (let i = 0; i < RESTS && whatWaits(crowd).length > 0; i++) {
		world.leap(HOUR);
		await world.run(world.now + REST_MILLISECONDS);
	}
	return { effects: plan.effects, broken: archives ? await brokenInArchive(crowd) : await brokenAtRest(crowd) };
}
