/** Which blocks a ChainLock has settled (Dash). A lock covers all blocks before it. */
import type { Tip } from '../source.ts';
import type { CoinBook } from './coin-book.ts';

export class Locks {
	readonly #book: CoinBook;
	readonly #isLocked: ((block: Tip) => Promise<boolean>) | null;
	#last: Tip | null = null;

	/** `isLocked`: null on a network without such locks. */
	constructor(book: CoinBook, isLocked: ((block: Tip) => Promise<boolean>) | null) {
		this.#book = book;
		this.#isLocked = isLocked;
	}

	/** The highest of these heights that is settled, or one above it; -1 where none is. @throws ChainUnavailable */
	async upTo(heights: Iterable<number>): Promise<number> {
		if (!this.#isLocked) return -1;
		const known = this.#last && this.#book.hashAt(this.#last.height) === this.#last.hash ? this.#last.height : -1;
		const asked = [...new Set(heights)].filter((height) => height > known).toSorted((a, b) => b - a);
		for (const height of asked) {
			const hash = this.#book.hashAt(height);
			if (hash === null || !(await this.#isLocked({ height, hash }))) continue;
			this.#last = { height, hash };
			return height;
		}
		return known;
	}
}
