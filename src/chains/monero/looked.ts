/** Looks at each transaction once with the view key, in the mempool or in its block, and remembers what it found. */
import type { ParsedTransaction } from './transaction.ts';
import { costOf, type MinorOf, type Received, received } from './view.ts';

/**
 * Multiplications of one poll, some 0.4 ms each in workerd: beyond them the next poll goes on. An ordinary transaction
 * costs three.
 */
const MOST_PER_POLL = 1_500;
/** More than a block has. */
const MOST_KEPT = 20_000;

export interface Looked {
	readonly received: readonly Received[];
	readonly unlockTime: bigint;
	/** The coins that it spends, where it pays us; else none. */
	readonly keyImages: readonly string[];
}

export class LookedAt {
	readonly #secretViewKey: bigint;
	readonly #minorOf: MinorOf;
	readonly #kept = new Map<string, Looked>();
	#left = 0;

	constructor(secretViewKey: bigint, minorOf: MinorOf) {
		this.#secretViewKey = secretViewKey;
		this.#minorOf = minorOf;
	}

	beginPoll(): void {
		this.#left = MOST_PER_POLL;
		const surplus = this.#kept.size - MOST_KEPT;
		for (const txId of [...this.#kept.keys()].slice(0, Math.max(0, surplus))) this.#kept.delete(txId);
	}

	at(txId: string): Looked | undefined {
		return this.#kept.get(txId);
	}

	/** False where this poll has done its part. */
	look(transaction: ParsedTransaction): boolean {
		if (this.#left <= 0) return false;
		this.#left -= costOf(transaction);
		const { txId, unlockTime, keyImages } = transaction;
		const found = received(transaction, this.#secretViewKey, this.#minorOf);
		this.#kept.set(txId, { received: found, unlockTime, keyImages: found.length > 0 ? keyImages : [] });
		return true;
	}
}
