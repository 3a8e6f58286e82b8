/**
 * Calls in one isolate that ask the same object or database travel together. A call that finds no trip under way goes at
 * once, alone. Those that arrive during a trip wait for its end, and the first of them makes the next trip for all.
 *
 * A request must not touch the I/O of another one. So a trip belongs to the request that makes it, with its own stubs, and
 * the others get plain values. The platform ends a request whose caller has gone: `background` keeps who travels and who
 * waits. It takes a request that waits for another one's promise for hung: who waits has a timer. And should a request end
 * all the same, the next call that has waited too long makes the trip.
 *
 * A trip that fails fails for each that travelled, because what it did is not known. Nobody travels twice.
 */

/** Of one trip. Bodies of signed calls have at most 256 KiB, and a call of an object takes 32 MiB. */
const MAX_TRAVELLERS = 64;
/** A trip takes milliseconds; who has waited for so long does not count on it any more. */
const PATIENCE_MILLISECONDS = 2_000;
/** No trip takes longer: what it did is then not known. */
const TRIP_MILLISECONDS = 30_000;

export interface Trip<Asked, Answered> {
	/** Asks for all, and answers in their order. */
	readonly send: (asked: readonly Asked[]) => Promise<readonly Answered[]>;
	readonly background: (work: Promise<unknown>) => void;
}

interface Waiting<Asked, Answered> {
	readonly asked: Asked;
	readonly answered: (answer: Answered) => void;
	readonly failed: (error: unknown) => void;
	/** `isNext`: this one makes the next trip. Else it is on another's, and needs not wait for its turn. */
	readonly turn: (isNext: boolean) => void;
}

export class Together<Asked, Answered> {
	/** Who waits for the trip that is under way; no entry where none is. */
	readonly #waiting = new Map<string, Waiting<Asked, Answered>[]>();

	/** `to`: what is asked. Only calls with the same `to` travel together. @throws what the trip throws */
	async ask(to: string, asked: Asked, trip: Trip<Asked, Answered>): Promise<Answered> {
		const waiting = this.#waiting.get(to);
		if (waiting) return this.#wait(to, waiting, asked, trip);
		this.#waiting.set(to, []);
		const sent = trip.send([asked]);
		trip.background(sent.catch(() => undefined).then(() => this.#next(to)));
		return answerAt(await sent, 0);
	}

	#wait(to: string, waiting: Waiting<Asked, Answered>[], asked: Asked, trip: Trip<Asked, Answered>): Promise<Answered> {
		return new Promise((resolve, reject) => {
			const { promise: isNext, resolve: turn } = Promise.withResolvers<boolean>();
			const late = () => reject(new Error('the trip took too long'));
			let timer = setTimeout(() => {
				timer = setTimeout(late, TRIP_MILLISECONDS);
				if (waiting.includes(own)) turn(true);
			}, PATIENCE_MILLISECONDS);
			const own: Waiting<Asked, Answered> = {
				asked,
				answered: (answer) => {
					clearTimeout(timer);
					resolve(answer);
				},
				failed: (error) => {
					clearTimeout(timer);
					reject(error);
				},
				turn,
			};
			waiting.push(own);
			trip.background(isNext.then((is) => (is ? this.#travel(to, own, trip) : undefined)));
		});
	}

	/** Takes everybody along who waits. Never rejects. */
	async #travel(to: string, own: Waiting<Asked, Answered>, { send }: Trip<Asked, Answered>): Promise<void> {
		const waiting = this.#waiting.get(to) ?? [];
		// Somebody without patience has taken it along.
		if (!waiting.includes(own)) return;
		const travellers = waiting.splice(0, MAX_TRAVELLERS);
		for (const { turn } of travellers) turn(false);
		try {
			const answers = await send(travellers.map(({ asked }) => asked));
			for (const [i, { answered }] of travellers.entries()) answered(answerAt(answers, i));
		} catch (error) {
			for (const { failed } of travellers) failed(error);
		}
		this.#next(to);
	}

	#next(to: string): void {
		const [first] = this.#waiting.get(to) ?? [];
		if (first) first.turn(true);
		else this.#waiting.delete(to);
	}
}

function answerAt<T>(answers: readonly T[], place: number): T {
	if (place >= answers.length) throw new RangeError(`${answers.length} answers, none for ${place}`);
	return answers[place] as T;
}
