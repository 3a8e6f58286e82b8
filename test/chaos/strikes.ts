/** What strikes the service while it is under load: kills, stopped processes, a full disk. */
import type { Checked } from './checks.ts';
import { replaySpent, type World } from './load.ts';
import { KILLS, pause } from './service.ts';

/** Between two kills: long enough for some dozens of calls, short enough to strike what the start has left to do. */
const LIFE_MILLISECONDS = 3_000;
/** Of a start; one in five is killed within it. */
const START_MILLISECONDS = 2_500;
const STOP_MILLISECONDS = 3_000;
const FULL_MILLISECONDS = 6_000;
const RECOVERY_SECONDS = 60;
/** No file can grow beyond this, and every file of the state is longer. */
const FULL_BYTES = 4_096;
const REPLAYS = 3;

export interface Struck {
	kills: number;
	/** From each kill until a `create` succeeds again; kills within a start count as one with the next. */
	readonly serveSeconds: number[];
	readonly notes: string[];
}

export async function strikeKills(world: World, kills: number): Promise<Struck> {
	const { service, random } = world;
	const struck: Struck = { kills: 0, serveSeconds: [], notes: [] };
	const kill = async () => {
		await service.kill(random.pick(KILLS), random.below(400));
		struck.kills += 1;
	};
	while (struck.kills < kills) {
		await pause(random.below(LIFE_MILLISECONDS));
		const began = Date.now();
		await kill();
		while (struck.kills < kills && random.chance(0.2)) {
			await service.launch();
			await pause(random.below(START_MILLISECONDS));
			await kill();
		}
		await service.launch();
		await service.untilServing();
		struck.serveSeconds.push((Date.now() - began) / 1000);
		await replaySpent(world, REPLAYS);
		if (struck.kills % 10 === 0) console.log(`${struck.kills} kills, ${world.journal.orders.length} orders`);
	}
	return struck;
}

/** Each process stops in the middle of its work and goes on, by itself and both together. */
export async function strikeStops(world: World, { notes }: Struck): Promise<void> {
	const { service } = world;
	const before = world.journal.orders.length;
	for (const which of [['workerd'], ['launcher'], ['workerd', 'launcher']] as const) {
		for (const one of which) service.signal(one, 'SIGSTOP');
		await pause(STOP_MILLISECONDS);
		for (const one of which) service.signal(one, 'SIGCONT');
		await pause(STOP_MILLISECONDS / 2);
	}
	notes.push(
		`workerd and the launcher were stopped and continued; ${world.journal.orders.length - before} orders meanwhile`,
	);
}

/** First the log can still be written, then nothing can. */
export async function strikeDisk(world: World, struck: Struck): Promise<Checked[]> {
	const state = await fillDisk(world, struck, ['workerd']);
	return [...state, ...(await fillDisk(world, struck, ['workerd', 'launcher']))];
}

/**
 * For some seconds these processes can write nothing, as on a full disk. Then there is room again: the service goes on by itself, or
 * has ended, as a process on a full disk may, and is started again.
 */
async function fillDisk(
	world: World,
	{ notes }: Struck,
	processes: readonly ('launcher' | 'workerd')[],
): Promise<Checked[]> {
	const { service, journal } = world;
	const before = journal.orders.length;
	journal.mayFail = true;
	try {
		service.limitFiles(FULL_BYTES, processes);
	} catch (error) {
		journal.mayFail = false;
		notes.push(`THE DISK WAS NOT FULL: this part was left out, for there is no prlimit here (${String(error)})`);
		return [];
	}
	await pause(FULL_MILLISECONDS);
	const meanwhile = journal.orders.length - before;
	if (service.isRunning) service.limitFiles(null, processes);
	const ended = !service.isRunning;
	const why =
		/^.*(?:EFBIG|ENOSPC|rror:).*$/m.exec(service.output)?.[0].trim() ?? service.output.trim().split('\n').at(-1);
	if (ended) {
		await service.launch();
		await service.untilServing();
	}
	const after = journal.orders.length;
	const deadline = Date.now() + RECOVERY_SECONDS * 1000;
	while (journal.orders.length === after && Date.now() < deadline) await pause(100);
	// What was under way on the full disk is answered by now.
	await pause(STOP_MILLISECONDS);
	journal.mayFail = false;
	const went = ended ? `ended (${why}) and was started again` : 'went on by itself';
	notes.push(
		`the disk was full for ${processes.join(' and ')} for ${FULL_MILLISECONDS / 1000} s: ${meanwhile} orders meanwhile; the service ${went}`,
	);
	const faults =
		journal.orders.length > after ? [] : [`no order in ${RECOVERY_SECONDS} s\n${service.output.slice(-500)}`];
	return [[`once the disk has room again for ${processes.join(' and ')}, orders are made`, faults]];
}
