/** Bytes as choices. Where they end, every choice is the first one: a shorter input is a simpler one. */
export class Choices {
	readonly #bytes: Uint8Array;
	#place = 0;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	get isOver(): boolean {
		return this.#place >= this.#bytes.length;
	}

	/** A whole number below `limit`, of 65 536 at most. */
	below(limit: number): number {
		const high = limit > 256 ? this.#byte() * 256 : 0;
		return (high + this.#byte()) % limit;
	}

	/** One time in `times`. */
	seldom(times: number): boolean {
		return this.below(times) === times - 1;
	}

	pick<T>(choices: readonly T[]): T {
		if (choices.length === 0) throw new Error('nothing to pick from');
		return choices[this.below(choices.length)] as T;
	}

	#byte(): number {
		return this.#bytes[this.#place++] ?? 0;
	}
}
