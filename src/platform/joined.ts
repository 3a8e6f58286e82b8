/**
 * Calls of one isolate that ask the same object or database share trips. A call that finds no trip under way leaves at once,
 * alone. Those that come during a trip wait until it is back, or a few milliseconds, so that a distant place makes nobody
 * wait for two trips. Then the first of them carries all of them. Each call is on one trip at most: what a trip did that
 * failed is not known, so it fails for each of its calls.
 *
 * No request uses the I/O of another one. An answer is left as plain data, and a request that waits for it is woken by a
 * promise of its own: the runtime goes on with a request in its own place, also where another request resolves the promise
 * (compatibility flag `handle_cross_request_promise_resolution`). It does so by a mark that each promise gets when it is
 * made. V8's optimising compiler forgets the mark of `new Promise`, but not of `Promise.withResolvers`. Should a mark be
 * lost all the same, the request is woken within the turn of the one that wakes it. It sees that, does nothing there, and
 * waits for its own timer, which fires in its own place. That timer also keeps the runtime from ending a request that waits
 * for nothing else.
 *
 * `background` lets a trip go on when the client of the one that carries it is gone. Should that request end all the same,
 * those whom it carried are told after `TRIP_MILLISECONDS`, and the others go without it.
 *
 * It is the one place that knows about requests and promises. Who shares anything within an isolate does it through this.
 */

/** The most calls of one trip. Bodies of signed calls have at most 256 KiB, and a call of an object takes 32 MiB. */
const MAX_CALLS = 64;
/** Longest wait for a trip that is under way, where nothing else is said. */
const WAIT_MILLISECONDS = 10;
/** A trip that takes longer counts as lost. */
const TRIP_MILLISECONDS = 10_000;

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
	/** Makes it look again; nothing while it does not wait. */
	wake: () => void;
}

interface Line<Call, Answer> {
	readonly trips: Set<UnderWay>;
	/** In the order of arrival. */
	readonly waiting: Joined<Call, Answer>[];
}

const nobody = (): void => undefined;

/** The trip whose calls are being woken, for the rest of that turn. */
let waking: UnderWay | null = null;

export class JoinedCalls<Call, Answer> {
	/** By what is asked; only while somebody is on the way or waits. */
	readonly #lines = new Map<string, Line<Call, Answer>>();
	readonly #waitMilliseconds: number;
	readonly #mostCalls: number;

	/** `waitMilliseconds`: the longest wait for a trip that is under way. `mostCalls`: of one trip. */
	constructor({ waitMilliseconds = WAIT_MILLISECONDS, mostCalls = MAX_CALLS } = {}) {
		this.#waitMilliseconds = waitMilliseconds;
		this.#mostCalls = mostCalls;
	}

	/** `to`: what is asked. Only calls with the same `to` share trips. @throws what the trip throws, or that it is lost */
	async ask(to: string, call: Call, trip: Trip<Call, Answer>): Promise<Answer> {
		const line = this.#lines.get(to) ?? { trips: new Set(), waiting: [] };
		this.#lines.set(to, line);
		const own: Joined<Call, Answer> = { call, askedAt: Date.now(), trip: null, outcome: null, wake: nobody };
		line.waiting.push(own);
		const isAlone = line.waiting.length === 1 && !isUnderWay(line, own.askedAt);
		await (isAlone ? this.#carry(to, line, trip) : this.#wait(to, line, own, trip));
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
		for (let waited = 0; !own.outcome && waited < TRIP_MILLISECONDS; waited = Date.now() - own.askedAt) {
			const isDue = waited >= this.#waitMilliseconds || !isUnderWay(line, own.askedAt + waited);
			if (!own.trip && isDue) await this.#carry(to, line, trip);
			else await woken(own, own.trip ? Math.max(waited, WAIT_MILLISECONDS) : this.#waitMilliseconds - waited);
		}
	}

	/**
	 * Carries those who wait, whatever becomes of this request. They leave the line in the turn in which the trip begins, so
	 * nobody travels twice. Never rejects.
	 */
	async #carry(to: string, line: Line<Call, Answer>, { send, background }: Trip<Call, Answer>): Promise<void> {
		const [trip, back] = [{ leftAt: Date.now() }, Promise.withResolvers<void>()];
		background(back.promise);
		const carried = line.waiting.splice(0, this.#mostCalls);
		for (const each of carried) each.trip = trip;
		line.trips.add(trip);
		try {
			const answers = await send(carried.map(({ call }) => call));
			for (const [i, each] of carried.entries()) each.outcome = { answer: answerAt(answers, i) };
		} catch (error) {
			for (const each of carried) each.outcome = { error };
		}
		line.trips.delete(trip);
		if (line.trips.size === 0 && line.waiting.length === 0) this.#lines.delete(to);
		waking = trip;
		// Before all others: it has a way to go.
		line.waiting[0]?.wake();
		for (const each of carried) each.wake();
		// A request that is woken within this turn has run by now.
		await null;
		// Another trip may have come back in the same turn.
		if (waking === trip) waking = null;
		back.resolve();
	}
}

/** Trips that are lost are forgotten. */
function isUnderWay({ trips }: Line<unknown, unknown>, now: number): boolean {
	for (const trip of trips) if (now - trip.leftAt > TRIP_MILLISECONDS) trips.delete(trip);
	return trips.size > 0;
}

/** Until somebody wakes it, or the time is over. */
async function woken(own: Joined<unknown, unknown>, milliseconds: number): Promise<void> {
	const [wake, atHome] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	own.wake = wake.resolve;
	const timer = setTimeout(atHome.resolve, milliseconds);
	wake.promise.then(() => {
		if (!waking) atHome.resolve();
	});
	await atHome.promise;
	own.wake = nobody;
	clearTimeout(timer);
}

function answerAt<T>(answers: readonly T[], place: number): T {
	if (place >= answers.length) throw new RangeError(`${answers.length} answers, none for ${place}`);
	return answers[place] as T;
}
