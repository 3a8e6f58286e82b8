/**
 * The weight that one client network has spent of its budget. The window is in memory. What is stored is never less
 * than what was spent: the first call is stored by itself, the second one stores the whole budget as spent, and the
 * calls that follow cost no write. When no call has come for some seconds, what was really spent is stored instead. So
 * an object that goes to sleep loses nothing, and one that a crash or a deployment ends counts all of the budget as
 * spent when it wakes, for one minute.
 */
import type { AnonymousSpend } from '../../ports/gates.ts';
import { SlidingWindow } from './window.ts';

const ONE_CALL: AnonymousSpend = { weight: 1, perMinute: 60 };
/** The spent weight is stored when no call came for so long. The platform lets an object sleep after ten seconds. */
const QUIET_MILLISECONDS = 4_000;

/** As it is stored. */
export interface Spent {
	readonly at: number;
	readonly weight: number;
	/** The whole budget, spent at a time that nobody knows. */
	readonly isReserved?: true;
}

export class NetworkBudget {
	readonly #window = new SlidingWindow();
	readonly #store: (spent: readonly Spent[]) => void;
	/** Has a call been stored since the object woke? */
	#isStored = false;
	/** Is the whole budget stored as spent? */
	#isReserved = false;
	/** Unix milliseconds of the last call that was admitted. */
	#calledAt = 0;

	/** `store`: in place of what is stored. */
	constructor(store: (spent: readonly Spent[]) => void) {
		this.#store = store;
	}

	/** After the object woke. A reservation that it finds counts from now on, also when it wakes again: it stores that. */
	restore(stored: readonly Spent[], now: number): void {
		for (const { at, weight, isReserved } of stored) this.#window.add(isReserved ? now : at, weight);
		if (stored.some(({ isReserved }) => isReserved)) this.#store(this.#window.entries(now));
	}

	/** As `spend`, and nothing is spent. */
	waitOf(now: number, { weight, perMinute }: AnonymousSpend = ONE_CALL): number | null {
		return this.#window.retryAfterSeconds(now, weight, perMinute);
	}

	/** Seconds to wait, or null when the call is admitted. Check and record are one turn. */
	spend(now: number, { weight, perMinute }: AnonymousSpend = ONE_CALL): number | null {
		const retryAfterSeconds = this.waitOf(now, { weight, perMinute });
		if (retryAfterSeconds !== null) return retryAfterSeconds;
		this.#window.add(now, weight);
		this.#calledAt = now;
		if (this.#isReserved) return null;
		if (this.#isStored) this.#reserve(now, perMinute);
		else this.#store(this.#window.entries(now));
		this.#isStored = true;
		return null;
	}

	/** Nothing is spent, and nothing will be stored. */
	isUnused(now: number): boolean {
		return !this.#isReserved && this.#window.used(now) === 0;
	}

	#reserve(now: number, perMinute: number): void {
		this.#isReserved = true;
		this.#store([{ at: now, weight: perMinute, isReserved: true }]);
		this.#settleWhenQuiet(now);
	}

	#settleWhenQuiet(now: number): void {
		setTimeout(
			() => {
				const later = Date.now();
				if (later - this.#calledAt < QUIET_MILLISECONDS) return this.#settleWhenQuiet(later);
				this.#isReserved = false;
				this.#store(this.#window.entries(later));
			},
			this.#calledAt + QUIET_MILLISECONDS - now,
		);
	}
}
