/** One seed: faults of every kind while orders live, then a phase without faults in which everything comes to rest. */
import { Swarm } from './faults.ts';
import { brokenAtAnyTime, brokenAtRest } from './invariants.ts';
import { Crowd } from './people/crowd.ts';
import { Random } from './random.ts';
import type { Codes } from './platform/code.ts';
import { World } from './world.ts';

const START = Date.UTC(2026, 0, 5, 9);
const HOUR = 3_600_000;
/** Orders of one seed, and the virtual hours in which they begin. */
const ORDERS = 14;
const BUSY_HOURS = 2;
/** Beyond every window, retry and lease, so that nothing can still be on its way. */
const REST_HOURS = 30;
const LOOKS = 4;
/** Milliseconds. The platform promises no alarm to the second, and a poll in which nothing happens shows nothing. */
const BUSY_ALARM_SLACK = 30_000;
const REST_ALARM_SLACK = 20 * 60_000;

export interface Outcome {
	readonly seed: number;
	readonly faults: number;
	readonly effects: number;
	readonly orders: number;
	readonly digest: string;
	readonly broken: readonly string[];
	readonly struck: ReadonlyMap<string, number>;
	readonly trace: readonly string[] | null;
	readonly lines: readonly string[];
}

export async function runSeed(codes: Codes, seed: number, traced = false): Promise<Outcome> {
	const random = new Random(seed);
	const swarm = new Swarm(random);
	const world = new World(random, swarm, START + random.below(24 * HOUR), traced);
	swarm.pause();
	const crowd = new Crowd(world, codes);
	await crowd.open();
	swarm.resume();
	world.alarmSlack = BUSY_ALARM_SLACK;
	const began = world.now;
	for (let i = 0; i < ORDERS; i++) world.after(random.next() * BUSY_HOURS * HOUR, () => crowd.startOrder());
	for (let i = 0; i < ORDERS; i++) world.after(random.next() * BUSY_HOURS * HOUR, () => void crowd.pressButton());
	const broken: string[] = [];
	for (let look = 1; look <= LOOKS && broken.length === 0; look++) {
		await world.run(began + (look * (BUSY_HOURS + 2) * HOUR) / LOOKS);
		broken.push(...brokenAtAnyTime(crowd));
	}
	swarm.pause();
	await crowd.finished(crowd.client.operate('site/update', { maintenance: false }));
	if (broken.length === 0) {
		world.alarmSlack = REST_ALARM_SLACK;
		await world.run(world.now + REST_HOURS * HOUR, () => false);
		broken.push(...brokenAtRest(crowd));
		const check = await crowd.finished(crowd.client.operate<{ differences: number; moving: number; unchecked: number }>('ledger/check', { full: true }));
		if (check.differences + check.moving > 0) broken.push(`ledger check: ${JSON.stringify(check).slice(0, 600)}`);
	}
	return {
		...{ seed, faults: swarm.total, effects: world.effects, orders: crowd.stories.filter(({ id }) => id).length },
		...{ digest: world.digest(), broken, struck: swarm.struck, trace: world.trace, lines: crowd.lines },
	};
}
