/**
 * The nonces of the last minutes: a set for each minute, so that forgetting is dropping a set. One takes some 100 bytes, and
 * a partner with the default budget spends 20 000 in eight minutes. Pure but for its own memory; times are Unix milliseconds.
 */
import { MINUTE_MILLISECONDS } from '../../platform/time.ts';

export class NonceSet {
	readonly #keptMilliseconds: number;
	/** By minute. */
	readonly #sets = new Map<number, Set<string>>();

	constructor(keptMilliseconds: number) {
		this.#keptMilliseconds = keptMilliseconds;
	}

	add(nonce: string, at: number): void {
		const minute = Math.floor(at / MINUTE_MILLISECONDS);
		const nonces = this.#sets.get(minute);
		if (nonces) nonces.add(nonce);
		else this.#sets.set(minute, new Set([nonce]));
	}

	/** Remembered for at least what the set was made for, and at most a minute longer. */
	has(nonce: string, now: number): boolean {
		const oldest = Math.floor((now - this.#keptMilliseconds) / MINUTE_MILLISECONDS);
		for (const [minute, nonces] of this.#sets) {
			if (minute < oldest) this.#sets.delete(minute);
			else if (nonces.has(nonce)) return true;
		}
		return false;
	}
}
