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

function parse(bytes: Uint8Array, prunableHash?: Uint8Array): ParsedTransaction {
	let at = 0;
	const take = (count: number): Uint8Array => {
		const part = bytes.subarray(at, at + count);
		if (part.length !== count) throw new RangeError('the bytes end too early');
		at += count;
		return part;
	};
	const byte = (): number => take(1)[0] ?? 0;
	const varint = (): bigint => {
		let value = 0n;
		for (let length = 0; length < MAX_VARINT_BYTES; length++) {
			const next = byte();
			value |= BigInt(next & 0x7f) << BigInt(7 * length);
			if (next < 0x80) return value;
		}
		throw new RangeError('the number is too large');
	};
	const count = (): number => {
		const value = varint();
		if (value > MAX_COUNT) throw new RangeError('the count is too large');
		return Number(value);
	};
	const require = (holds: boolean): void => {
		if (!holds) throw new TypeError('a form that this code does not read');
	};

	require(varint() === VERSION);
	const unlockTime = varint();
	const keyImages: string[] = [];
	const ringMembers: bigint[] = [];
	for (let inputs = count(); inputs > 0; inputs--) {
		require(byte() === INPUT_TO_KEY);
		varint();
		// The first by its number, each other one by its distance from the one before.
		let member = 0n;
		for (let members = count(); members > 0; members--) {
			member += varint();
			ringMembers.push(member);
		}
		keyImages.push(hex.encode(take(KEY_BYTES)));
	}
	const outputs = count();
	for (let rest = outputs; rest > 0; rest--) {
		varint();
		const tag = byte();
		require(tag === OUTPUT_TO_KEY || tag === OUTPUT_TO_TAGGED_KEY);
		take(KEY_BYTES + (tag === OUTPUT_TO_TAGGED_KEY ? VIEW_TAG_BYTES : 0));
	}
	take(count());
	const prefixEnd = at;
	require(RCT_TYPES.includes(byte()));
	const fee = varint();
	take(outputs * HIDDEN_OUTPUT_BYTES);

	const hashes = [
		keccak_256(bytes.subarray(0, prefixEnd)),
		keccak_256(bytes.subarray(prefixEnd, at)),
		prunableHash ?? keccak_256(bytes.subarray(at)),
	];
	const txId = hex.encode(keccak_256(Uint8Array.from(hashes.flatMap((hash) => [...hash]))));
	return { txId, keyImages, ringMembers, fee, unlockTime };
}
