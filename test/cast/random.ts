/** A seeded source of chance (mulberry32): the same seed gives the same run. */
export class Random {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** From 0 up to 1, which is never reached. */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let t = this.#state;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
	}

	/** A whole number below `limit`. */
	below(limit: number): number {
		return Math.floor(this.next() * limit);
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}

	pick<T>(choices: readonly T[]): T {
		const chosen = choices[this.below(choices.length)];
		if (chosen === undefined) throw new Error('nothing to pick from');
		return chosen;
	}

	bytes(into: Uint8Array): void {
		for (let i = 0; i < into.length; i++) into[i] = this.below(256);
	}
}
