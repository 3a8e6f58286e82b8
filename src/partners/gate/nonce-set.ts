/**
 * The nonces of the last minutes, 16 bytes each: 64-bit fingerprints in generations of a minute, so that forgetting is
 * dropping a generation. Two nonces share a fingerprint once in 10^19; then the second is refused as if it were the
 * first, and the caller's next one passes. Pure but for its own memory; times are Unix milliseconds.
 */

const GENERATION_MILLISECONDS = 60_000;
const FIRST_SLOTS = 1024;

/** The low half is never zero: that marks an empty slot. */
export type Fingerprint = readonly [high: number, low: number];

/** cyrb53's two mixed halves, unfolded: fast and well spread; a caller who makes their own nonces collide gains nothing. */
export function fingerprintOf(nonce: string): Fingerprint {
	let high = 0xdeadbeef;
	let low = 0x41c6ce57;
	for (let i = 0; i < nonce.length; i++) {
		const code = nonce.charCodeAt(i);
		high = Math.imul(high ^ code, 2654435761);
		low = Math.imul(low ^ code, 1597334677);
	}
	high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
	low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
	return [high >>> 0, low >>> 0 || 1];
}

export class NonceSet {
	readonly #keptMilliseconds: number;
	#generations: { readonly minute: number; readonly table: FingerprintTable }[] = [];

	constructor(keptMilliseconds: number) {
		this.#keptMilliseconds = keptMilliseconds;
	}

	add(fingerprint: Fingerprint, at: number): void {
		const minute = Math.floor(at / GENERATION_MILLISECONDS);
		let generation = this.#generations.findLast((each) => each.minute === minute);
		if (!generation) {
			generation = { minute, table: new FingerprintTable() };
			this.#generations.push(generation);
		}
		generation.table.add(fingerprint);
	}

	/** Remembered for at least what the set was made for, and at most a minute longer. */
	has(fingerprint: Fingerprint, now: number): boolean {
		const oldest = Math.floor((now - this.#keptMilliseconds) / GENERATION_MILLISECONDS);
		this.#generations = this.#generations.filter(({ minute }) => minute >= oldest);
		return this.#generations.some(({ table }) => table.has(fingerprint));
	}
}

/** Open addressing over pairs of 32-bit words; at most half full. */
class FingerprintTable {
	#slots = new Uint32Array(FIRST_SLOTS * 2);
	#size = 0;

	has(fingerprint: Fingerprint): boolean {
		return this.#slots[this.#place(fingerprint) + 1] !== 0;
	}

	add(fingerprint: Fingerprint): void {
		const place = this.#place(fingerprint);
		if (this.#slots[place + 1] !== 0) return;
		this.#slots.set(fingerprint, place);
		this.#size++;
		if (this.#size * 4 > this.#slots.length) this.#grow();
	}

	/** Where it is, or where it would go. The low word is never zero in a slot that is taken. */
	#place([high, low]: Fingerprint): number {
		const mask = this.#slots.length / 2 - 1;
		for (let slot = high & mask; ; slot = (slot + 1) & mask) {
			const place = slot * 2;
			if (this.#slots[place + 1] === 0) return place;
			if (this.#slots[place] === high && this.#slots[place + 1] === low) return place;
		}
	}

	#grow(): void {
		const old = this.#slots;
		this.#slots = new Uint32Array(old.length * 2);
		for (let place = 0; place < old.length; place += 2) {
			const [high = 0, low = 0] = old.subarray(place, place + 2);
			if (low !== 0) this.#slots.set([high, low], this.#place([high, low]));
		}
	}
}
