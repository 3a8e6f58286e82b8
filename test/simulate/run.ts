/**
 * One seed: faults of every kind while orders live, an outage, more of it, then a phase without faults in which everything
 * must come to rest, and at last the archive.
 */
import { Random } from '../cast/random.ts';
import { Swarm } from './faults.ts';
import { payments } from './invariants/payments.ts';
import { wrongDebts } from './invariants/solvency.ts';
import { unseenThefts } from './invariants/thefts.ts';
import { brokenAtAnyTime, brokenAtRest, brokenInArchive, whatWaits } from './invariants.ts';
import { Crowd } from './people/crowd.ts';
import { payLate } from './people/latecomers.ts';
import type { Codes } from './platform/code.ts';
import { endLeaps, startLeaps } from './platform/leaping-gas.ts';
import type { SecondJudge } from './settings.ts';
import { World } from './world.ts';

const START = Date.UTC(2026, 0, 5, 9);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Milliseconds. The platform promises no alarm to the second, and a poll in which nothing happens shows nothing. */
const BUSY_ALARM_SLACK = 30_000;
const REST_ALARM_SLACK = 20_000;
/** All retries of a webhook take 75 hours; nothing else takes longer. */
const REST_HOURS = 110;
/** While nothing is asked of the service it need not run: it wakes for so long, and then rests. */
const AWAKE_MILLISECONDS = 150_000;
const ASLEEP_MILLISECONDS = 3 * HOUR;
const LOOKS = 3;
/** Dollars that the signer may pay in a day: less than the orders of a run are worth. */
const CAP_USD = 8_000;
/** In one of so many seeds the signer's journal moves its entries to volumes. */
const LARGE_EVERY = 4;
/** In one of so many it is in a house of its own. */
const HOUSED_EVERY = 5;
/** In one of so many two judges sign on Tron, and by turns both are honest, or somebody owns the one or the other. */
const SECOND_EVERY = 10;
const JUDGES: readonly SecondJudge[] = ['honest', 'owned signer', 'owned co-signer'];
/** Of the orders of the first busy time, and milliseconds. */
const FAIR_SHARE = 0.5;
const FAIR_MILLISECONDS = 1_200_000;
/** Longer than the shortest time after which orders are archived. */
const ARCHIVE_DAYS = 31;

export interface Size {
	/** In the first busy time, of `hours`; half as many come in the second. */
	readonly orders: number;
	readonly acts: number;
	readonly hours: number;
}

export const USUAL: Size = { orders: 60, acts: 80, hours: 1 };
export const SMALL: Size = { orders: 4, acts: 6, hours: 0.1 };

export interface Outcome {
	readonly seed: number;
	readonly faults: number;
	readonly effects: number;
	readonly orders: number;
	/** Payments that are on the ledgers. */
	readonly payments: number;
	readonly archived: number;
	readonly digest: string;
	readonly broken: readonly string[];
	readonly struck: ReadonlyMap<string, number>;
	readonly trace: readonly string[] | null;
	readonly lines: readonly string[];
}

export async function runSeed(
	codes: Codes,
	seed: number,
	{ traced = false, size = USUAL, isOnNode = false } = {},
): Promise<Outcome> {
	const random = new Random(seed);
	const swarm = new Swarm(random);
	const world = new World(random, swarm, START + random.below(DAY), traced);
	// A cap that some days reach.
	const capUsd = random.chance(0.25) ? CAP_USD : null;
	const second = secondOf(seed);
	const crowd = new Crowd(world, codes, {
		isOnNode: isOnNode || second !== null,
		capUsd,
		isLarge: seed % LARGE_EVERY === LARGE_EVERY - 1,
		isHoused: seed % HOUSED_EVERY === HOUSED_EVERY - 1,
		...(second && { second }),
	});
	await crowd.open();
	const broken =
		(await live(crowd, swarm, second ? lesser(size) : size)) ??
		(await rest(crowd)) ??
		orNull(await unseenThefts(crowd)) ??
		(await archive(crowd, swarm)) ??
		[];
	return {
		seed,
		faults: swarm.total,
		effects: world.effects,
		orders: crowd.stories.filter(({ id }) => id).length,
		payments: payments(crowd).length,
		archived: crowd.service.archive.objects.size,
		digest: world.digest(),
		broken,
		struck: swarm.struck,
		trace: world.trace,
		lines: crowd.lines,
	};
}

/** Two nodes are polled and asked there for each thing that is done, so less time shows as much. */
const lesser = ({ orders, acts, hours }: Size): Size => ({ orders: orders / 2, acts: acts / 2, hours: hours * 0.4 });

const secondOf = (seed: number): SecondJudge | null =>
	seed % SECOND_EVERY === 0 ? (JUDGES[(seed / SECOND_EVERY) % JUDGES.length] ?? null) : null;

const orNull = (broken: readonly string[]): readonly string[] | null => (broken.length > 0 ? broken : null);

/** Two busy times, and a day between them in which nothing runs: addresses of earnings count after a day. */
async function live(crowd: Crowd, swarm: Swarm, size: Size): Promise<readonly string[] | null> {
	const { world } = crowd;
	world.alarmSlack = BUSY_ALARM_SLACK;
	for (const share of [1, 0.5]) {
		const span = size.hours * share * HOUR;
		for (let i = 0; i < size.orders * share; i++) world.after(world.random.next() * span, () => crowd.startOrder());
		for (let i = 0; i < size.acts * share; i++) world.after(world.random.next() * span, () => crowd.act());
		if (crowd.service.node) startLeaps(world, crowd.service.node, span);
		swarm.resume();
		for (let look = 0; look < LOOKS; look++) {
			await world.run(world.now + (span * 1.5) / LOOKS);
			const broken = brokenAtAnyTime(crowd);
			if (broken.length > 0) return broken;
		}
		swarm.pause();
		if (share === 1) world.leap(DAY);
	}
	return crowd.setting.second ? fair(crowd, size) : null;
}

/** Orders without a fault: where nothing else is wrong, the owner of one of two judges gets furthest. */
async function fair(crowd: Crowd, size: Size): Promise<readonly string[] | null> {
	const { world, service } = crowd;
	await crowd.asked((client) => client.operate('site/update', { maintenance: false }));
	for (let i = 0; i < size.orders * FAIR_SHARE; i++)
		world.after(world.random.next() * FAIR_MILLISECONDS, () => crowd.startOrder());
	for (let look = 0; look < LOOKS; look++) {
		await world.run(world.now + (FAIR_MILLISECONDS * 2) / LOOKS);
		const broken = brokenAtAnyTime(crowd);
		if (broken.length > 0) return broken;
	}
	service.second?.rest();
	return null;
}

/** Ends when nobody does anything and nothing is on its way any more; it must. */
async function rest(crowd: Crowd): Promise<readonly string[] | null> {
	const { world } = crowd;
	await crowd.asked((client) => client.operate('site/update', { maintenance: false }));
	world.alarmSlack = REST_ALARM_SLACK;
	await settled(crowd);
	if (crowd.isBusy) return ['somebody is never done'];
	return orNull(await brokenAtRest(crowd)) ?? orNull(await wrongDebts(crowd));
}

/** Goes on until nothing is on its way any more, for some hours at most. */
async function settled(crowd: Crowd): Promise<void> {
	const { world } = crowd;
	if (crowd.service.node) endLeaps(crowd.service.node);
	const end = world.now + REST_HOURS * HOUR;
	await world.run(world.now + 2 * AWAKE_MILLISECONDS);
	while (world.now < end && !(await isAtRest(crowd))) {
		world.leap(ASLEEP_MILLISECONDS);
		await world.run(world.now + AWAKE_MILLISECONDS);
	}
}

/** What a payer did last may have come after a poll: the next one may find that more is on its way. */
async function isAtRest(crowd: Crowd): Promise<boolean> {
	if (crowd.isBusy || whatWaits(crowd).length > 0) return false;
	await crowd.polled();
	return whatWaits(crowd).length === 0;
}

/** What partners were told stays true when their orders leave the database. */
async function archive(crowd: Crowd, swarm: Swarm): Promise<readonly string[] | null> {
	const { world } = crowd;
	await crowd.payPartners();
	await crowd.asked((client) => client.operate('site/update', { archiveAfterDays: ARCHIVE_DAYS }));
	world.leap((ARCHIVE_DAYS + 2) * DAY);
	swarm.resume();
	payLate(crowd, crowd.stories, 4 * AWAKE_MILLISECONDS);
	await world.run(world.now + 4 * AWAKE_MILLISECONDS);
	swarm.pause();
	world.leap(ASLEEP_MILLISECONDS);
	await world.run(world.now + 2 * AWAKE_MILLISECONDS);
	// On a node what came late is swept by transactions that take their time.
	if (crowd.service.node) await settled(crowd);
	return orNull(await brokenInArchive(crowd));
}
