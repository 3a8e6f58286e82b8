/** Strangers who call without a signature: each from a client network of its own, and each waits as it is told to. */
import { addressIn } from '../../cast/networks.ts';
import type { World } from '../world.ts';
import type { Client } from './client.ts';

interface VisitorScene {
	readonly world: World;
	readonly client: Client;
	readonly wrong: string[];
}

const ROUNDS = 8;
/** Calls of one round: some look once, and some until they are refused. */
const CALLS = [1, 1, 2, 5, 70];
/** Between two rounds, at most; the gate sleeps after ten seconds. */
const PAUSE_MILLISECONDS = 40_000;
/** Of a minute. */
const BUDGET = 60;
/** By how much less of a minute the gate may count: its isolate changes, and their clocks differ. */
const MINUTE_MILLISECONDS = 57_000;
/** Each of them waited as it was told to. Answers that come late make an isolate say a wait again. */
const MAX_REFUSALS = 5;

/** Unix milliseconds of a call that was admitted: sent, and answered. */
type Admitted = readonly [sent: number, answered: number];

/** `place`: of the visitor's network. Nobody is refused for ever, and nobody has more than a minute has room for. */
export async function visit({ world, client, wrong }: VisitorScene, place: number): Promise<void> {
	const address = addressIn(place);
	const admitted: Admitted[] = [];
	let refusals = 0;
	for (let round = 0; round < ROUNDS; round++) {
		const look = async () => {
			const sent = world.now;
			const answer = await client.look(address).catch(() => null);
			if (answer?.code === 1) admitted.push([sent, world.now]);
			return answer;
		};
		const answers = await Promise.all(Array.from({ length: refusals > 0 ? 1 : world.random.pick(CALLS) }, look));
		if (answers.some((answer) => answer?.code === 1)) refusals = 0;
		const waits = answers.map((answer) => (answer?.code === 5 ? answer.retryAfterSeconds : 0));
		const seconds = Math.max(...waits);
		if (seconds > 0) refusals += 1;
		if (refusals > MAX_REFUSALS) {
			wrong.push(`a network that waited as it was told to was refused ${refusals} times in a row`);
			return;
		}
		await world.sleep(seconds > 0 ? seconds * 1_000 : world.random.next() * PAUSE_MILLISECONDS);
	}
	for (const [start] of admitted) {
		const within = admitted.filter(([sent, answered]) => sent >= start && answered < start + MINUTE_MILLISECONDS);
		if (within.length > BUDGET) wrong.push(`${within.length} calls of one network were admitted within a minute`);
	}
}
