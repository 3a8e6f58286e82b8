/** Reads Monero's bytes one part after the other. Whatever the bytes claim, it reads no further than they go. Pure. */

const MAX_VARINT_BYTES = 10;
/** Far more than fits into a block. It bounds every loop, whatever length the bytes claim. */
const MAX_COUNT = 100_000n;

/** Its methods throw RangeError where the bytes end, or a number is too large. */
export class Reader {
	readonly bytes: Uint8Array;
	at = 0;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
	}

	get isAtEnd(): boolean {
		return this.at === this.bytes.length;
	}

	take(count: number): Uint8Array {
		const part = this.bytes.subarray(this.at, this.at + count);
		if (part.length !== count) throw new RangeError('the bytes end too early');
		this.at += count;
		return part;
	}

	byte(): number {
		return this.take(1)[0] ?? 0;
	}

	varint(): bigint {
		let value = 0n;
		for (let length = 0; length < MAX_VARINT_BYTES; length++) {
			const next = this.byte();
			value |= BigInt(next & 0x7f) << BigInt(7 * length);
			if (next < 0x80) return value;
		}
		throw new RangeError('the number is too large');
	}

	count(): number {
		const value = this.varint();
		if (value > MAX_COUNT) throw new RangeError('the count is too large');
		return Number(value);
	}
}

/** As `Reader.varint` reads it. */
export function varint(value: number): Uint8Array {
	const bytes: number[] = [];
	for (let rest = value; ; rest = Math.floor(rest / 0x80)) {
		if (rest < 0x80) return Uint8Array.of(...bytes, rest);
		bytes.push((rest % 0x80) + 0x80);
	}
}
