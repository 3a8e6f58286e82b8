/**
 * Calls of one isolate that ask the same object or database share trips. A call that finds no trip under way leaves at once,
 * alone. Those that come during a trip wait until it is back, or a few milliseconds, so that a distant place makes nobody
 * wait for two trips. Then the one that looks first carries all of them. Each call is on one trip at most: what a trip did
 * that failed is not known, so it fails for each of its calls.
 *
 * No request uses the I/O of another one, and none waits for a promise of another one: workerd takes such a request for
 * hung, or goes on with it in the wrong place. An answer is left as plain data, and each request looks for its own, by timers
 * of its own, when it expects the trip to be back. `background` lets those who wait or carry go on when their clients are
 * gone. Should a request end all the same, those whom it carried are told after `TRIP_MILLISECONDS`, and the others go
 * without it.
 */

/** Of one trip. Bodies of signed calls have at most 256 KiB, and a call of an object takes 32 MiB. */
const MAX_CALLS = 64;
/** Longest wait for a trip that is under way. */
const WAIT_MILLISECONDS = 10;
/** A trip that takes longer counts as lost. */
const TRIP_MILLISECONDS = 10_000;
/** A trip that is later than expected is looked for after this share of what it usually takes, within these bounds. */
const LATE_SHARE = 0.25;
const SOONEST_MILLISECONDS = 1;
const LATEST_MILLISECONDS = 25;
/** How much the newest trip counts in what one usually takes. */
const NEWEST_SHARE = 0.25;

export interface Trip<Call, Answer> {
	/** Asks for all of them at once, with the I/O of the request that carries them. Answers in their order. */
	readonly send: (calls: readonly Call[]) => Promise<readonly Answer[]>;
	/** Keeps the request's work going when its client is gone. */
	readonly background: (work: Promise<unknown>) => void;
}

/** Times are Unix milliseconds. */
interface UnderWay {
	readonly leftAt: number;
}

interface Joined<Call, Answer> {
	readonly call: Call;
	readonly askedAt: number;
	/** The one that has it; null while it waits. */
	trip: UnderWay | null;
	outcome: { readonly answer: Answer } | { readonly error: unknown } | null;
}

interface Line<Call, Answer> {
	readonly trips: Set<UnderWay>;
	/** In the order of arrival. */
	readonly waiting: Joined<Call, Answer>[];
	/** What a trip usually takes. */
	usualMilliseconds: number;
}

export class JoinedCalls<Call, Answer> {
	/** By what is asked; only while somebody is on the way or waits. */
	readonly #lines = new Map<string, Line<Call, Answer>>();

	/** `to`: what is asked. Only calls with the same `to` share trips. @throws what the trip throws, or that it is lost */
	async ask(to: string, call: Call, trip: Trip<Call, Answer>): Promise<Answer> {
		const line = this.#lines.get(to) ?? { trips: new Set(), waiting: [], usualMilliseconds: SOONEST_MILLISECONDS };
		this.#lines.set(to, line);
		const own: Joined<Call, Answer> = { call, askedAt: Date.now(), trip: null, outcome: null };
		line.waiting.push(own);
		const isAlone = line.waiting.length === 1 && !isUnderWay(line, own.askedAt);
		const done = isAlone ? this.#travel(to, line, trip) : this.#wait(to, line, own, trip);
		trip.background(done);
		await done;
		if (!own.outcome) throw new Error('a trip that was shared with other calls is lost');
		if ('error' in own.outcome) throw own.outcome.error;
		return own.outcome.answer;
	}

	/** Until it has an outcome, or its trip counts as lost. Never rejects. */
	async #wait(
		to: string,
		line: Line<Call, Answer>,
		own: Joined<Call, Answer>,
		trip: Trip<Call, Answer>,
	): Promise<void> {
		for (let now = own.askedAt; !own.outcome && now - own.askedAt < TRIP_MILLISECONDS; now = Date.now()) {
			const isDue = !isUnderWay(line, now) || now - own.askedAt >= WAIT_MILLISECONDS;
			if (!own.trip && isDue) await this.#travel(to, line, trip);
			else await new Promise((looked) => setTimeout(looked, untilLook(line, own, now)));
		}
	}

	/** Carries those who wait. They leave the line in the turn in which the trip begins, so nobody travels twice. Never rejects. */
	async #travel(to: string, line: Line<Call, Answer>, { send }: Trip<Call, Answer>): Promise<void> {
		const trip = { leftAt: Date.now() };
		const carried = line.waiting.splice(0, MAX_CALLS);
		for (const each of carried) each.trip = trip;
		line.trips.add(trip);
		try {
			const answers = await send(carried.map(({ call }) => call));
			for (const [i, each] of carried.entries()) each.outcome = { answer: answerAt(answers, i) };
		} catch (error) {
			for (const each of carried) each.outcome = { error };
		}
		line.trips.delete(trip);
		line.usualMilliseconds += (Date.now() - trip.leftAt - line.usualMilliseconds) * NEWEST_SHARE;
		if (line.trips.size === 0 && line.waiting.length === 0) this.#lines.delete(to);
	}
}

/** Trips that are lost are forgotten. */
function isUnderWay({ trips }: Line<unknown, unknown>, now: number): boolean {
	for (const trip of trips) if (now - trip.leftAt > TRIP_MILLISECONDS) trips.delete(trip);
	return trips.size > 0;
}

/**
 * Until the outcome is expected: the first who waits looks when the trip is back that is under way, and those behind it when
 * they have been carried. What is late is looked for after a share of what a trip takes.
 */
function untilLook(line: Line<unknown, unknown>, own: Joined<unknown, unknown>, now: number): number {
	const { trips, waiting, usualMilliseconds } = line;
	const [first] = trips;
	const late = Math.min(Math.max(usualMilliseconds * LATE_SHARE, SOONEST_MILLISECONDS), LATEST_MILLISECONDS);
	const untilBack = (trip: UnderWay | undefined) => {
		const wait = (trip?.leftAt ?? now) + usualMilliseconds - now;
		return wait > 0 ? Math.max(wait, SOONEST_MILLISECONDS) : late;
	};
	if (own.trip) return untilBack(own.trip);
	const untilNext = Math.min(untilBack(first), WAIT_MILLISECONDS);
	return waiting[0] === own ? untilNext : untilNext + usualMilliseconds;
}

function answerAt<T>(answers: readonly T[], place: number): T {
	if (place >= answers.length) throw new RangeError(`${answers.length} answers, none for ${place}`);
	return answers[place] as T;
}
