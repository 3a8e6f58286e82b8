/**
 * The sliding log of spent weight (book: contract, "Limits", "Weight"): a call is admitted when what was used in
 * the last 60 s plus its weight is within the budget. Pure but for its own memory.
 */
export const WINDOW_MILLISECONDS = 60_000;
const WINDOW_SECONDS = WINDOW_MILLISECONDS / 1000;

type Spent = { readonly at: number; weight: number };

export class SlidingWindow {
	/** Oldest first; calls of one millisecond share an entry, so there are at most 60 000. */
	#log: Spent[] = [];
	#start = 0;
	#used = 0;

	used(now: number): number {
		this.#forget(now);
		return this.#used;
	}

	/** Records weight that was admitted. Times never go back: a clock that does is held at the newest entry. */
	add(at: number, weight: number): void {
		if (weight === 0) return;
		const last = this.#log.at(-1);
		this.#used += weight;
		if (last && last.at >= at) last.weight += weight;
		else this.#log.push({ at, weight });
	}

	/** Seconds until `weight` fits, or null when it fits now. Rounded up, at least 1; 60 for what can never fit. */
	retryAfterSeconds(now: number, weight: number, budget: number): number | null {
		const excess = this.used(now) + weight - budget;
		if (excess <= 0) return null;
		if (weight > budget) return WINDOW_SECONDS;
		let leaving = 0;
		for (let i = this.#start; i < this.#log.length; i++) {
			const spent = this.#log[i];
			if (!spent) break;
			leaving += spent.weight;
			if (leaving >= excess) return Math.max(1, Math.ceil((spent.at + WINDOW_MILLISECONDS - now) / 1000));
		}
		return WINDOW_SECONDS;
	}

	/** The calls that are still within the window, for those who store them. */
	entries(now: number): readonly Spent[] {
		this.#forget(now);
		return this.#log.slice(this.#start);
	}

	#forget(now: number): void {
		const until = now - WINDOW_MILLISECONDS;
		for (let oldest = this.#log[this.#start]; oldest && oldest.at <= until; oldest = this.#log[this.#start]) {
			this.#used -= oldest.weight;
			this.#start++;
		}
		// Compacted when more is forgotten than kept, so that forgetting stays cheap and memory stays the window's.
		if (this.#start * 2 > this.#log.length) {
			this.#log = this.#log.slice(this.#start);
			this.#start = 0;
		}
	}
}
