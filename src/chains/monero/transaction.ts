/**
 * Reads what a Monero transaction's bytes show without any key: its id, the coins that it spends, and its fee (the form
 * of version 2 since 2022: CLSAG and Bulletproofs+). The id commits to all of this, so no node can lie about it. Pure.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';

const VERSION = 2n;
/** Tags of Monero's cryptonote_basic.h and rctTypes.h. */
const INPUT_TO_KEY = 0x02;
const OUTPUT_TO_KEY = 0x02;
const OUTPUT_TO_TAGGED_KEY = 0x03;
/** Bulletproofs with CLSAG, and Bulletproofs+. Both start with the same fields. */
const RCT_TYPES: readonly number[] = [5, 6];
const KEY_BYTES = 32;
const VIEW_TAG_BYTES = 1;
/** Bytes of each output: the hidden amount and the commitment. */
const HIDDEN_OUTPUT_BYTES = 8 + KEY_BYTES;
/** Far more than fits into a block. It bounds every loop, whatever length the bytes claim. */
const MAX_COUNT = 10_000n;
const MAX_VARINT_BYTES = 10;

export interface ParsedTransaction {
	readonly txId: string;
	readonly keyImages: readonly string[];
	/** Numbers of all outputs on the chain that its rings name: one of each ring is spent. */
	readonly ringMembers: readonly bigint[];
	/** Piconero. */
	readonly fee: bigint;
	readonly unlockTime: bigint;
}

/**
 * `prunableHash`: the hash of the part that `raw` lacks if the node returned it pruned. Null where this code cannot
 * read the transaction.
 */
export function parseTransaction(raw: string, prunableHash?: string): ParsedTransaction | null {
	try {
		return parse(hex.decode(raw), prunableHash === undefined ? undefined : hex.decode(prunableHash));
	} catch {
		return null;
	}
}

/** Reads one part after the other. @throws RangeError where the bytes end, or a number is too large */
class Reader {
	readonly bytes: Uint8Array;
	at = 0;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
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

function require(holds: boolean): void {
	if (!holds) throw new TypeError('a form that this code does not read');
}

function parse(bytes: Uint8Array, prunableHash?: Uint8Array): ParsedTransaction {
	const reader = new Reader(bytes);
	require(reader.varint() === VERSION);
	const unlockTime = reader.varint();
	const keyImages: string[] = [];
	const ringMembers: bigint[] = [];
	for (let inputs = reader.count(); inputs > 0; inputs--) {
		require(reader.byte() === INPUT_TO_KEY);
		reader.varint();
		// The first by its number, each other one by its distance from the one before.
		let member = 0n;
		for (let members = reader.count(); members > 0; members--) {
			member += reader.varint();
			ringMembers.push(member);
		}
		keyImages.push(hex.encode(reader.take(KEY_BYTES)));
	}
	const outputs = reader.count();
	for (let rest = outputs; rest > 0; rest--) {
		reader.varint();
		const tag = reader.byte();
		require(tag === OUTPUT_TO_KEY || tag === OUTPUT_TO_TAGGED_KEY);
		reader.take(KEY_BYTES + (tag === OUTPUT_TO_TAGGED_KEY ? VIEW_TAG_BYTES : 0));
	}
	reader.take(reader.count());
	const prefixEnd = reader.at;
	require(RCT_TYPES.includes(reader.byte()));
	const fee = reader.varint();
	reader.take(outputs * HIDDEN_OUTPUT_BYTES);

	const hashes = [
		keccak_256(bytes.subarray(0, prefixEnd)),
		keccak_256(bytes.subarray(prefixEnd, reader.at)),
		prunableHash ?? keccak_256(bytes.subarray(reader.at)),
	];
	const txId = hex.encode(keccak_256(Uint8Array.from(hashes.flatMap((hash) => [...hash]))));
	return { txId, keyImages, ringMembers, fee, unlockTime };
}
