/**
 * Reads what a Monero transaction's bytes show without any key: its id, the coins that it spends, its outputs and its
 * fee. Forms: version 2 since 2022 (CLSAG and Bulletproofs+), a coinbase, and version 1, which still spends old dust. The
 * id commits to all of this, so no node can lie about it. Pure.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import { Reader } from './reader.ts';

/** Tags of Monero's cryptonote_basic.h and rctTypes.h. */
const INPUT_OF_COINBASE = 0xff;
const INPUT_TO_KEY = 0x02;
const OUTPUT_TO_KEY = 0x02;
const OUTPUT_TO_TAGGED_KEY = 0x03;
const RCT_OF_COINBASE = 0;
/** Bulletproofs with CLSAG, and Bulletproofs+. Both start with the same fields. */
const RCT_TYPES: readonly number[] = [5, 6];
const KEY_BYTES = 32;
const HIDDEN_AMOUNT_BYTES = 8;
const NO_HASH = new Uint8Array(KEY_BYTES);

export interface TransactionOutput {
	readonly key: Uint8Array;
	/** Null in the older form, which has none. */
	readonly viewTag: number | null;
	/** Piconero where it is written openly; else 0, and `hidden` has it. */
	readonly amount: bigint;
	readonly hidden: { readonly amount: Uint8Array; readonly commitment: Uint8Array } | null;
}

export interface ParsedTransaction {
	readonly txId: string;
	readonly keyImages: readonly string[];
	/** Numbers of all outputs on the chain that its rings name: one of each ring is spent. */
	readonly ringMembers: readonly bigint[];
	/** Piconero; 0 where its bytes do not say it. */
	readonly fee: bigint;
	readonly unlockTime: bigint;
	readonly outputs: readonly TransactionOutput[];
	readonly extra: Uint8Array;
}

/**
 * `prunableHash`: the hash of the part that `raw` lacks if the node returned it pruned. Null where this code cannot
 * read the transaction.
 */
export function parseTransaction(raw: string, prunableHash?: string): ParsedTransaction | null {
	try {
		const reader = new Reader(hex.decode(raw));
		const transaction = transactionFrom(reader, prunableHash === undefined ? undefined : hex.decode(prunableHash));
		return reader.isAtEnd ? transaction : null;
	} catch {
		return null;
	}
}

function require(holds: boolean): void {
	if (!holds) throw new TypeError('a form that this code does not read');
}

/** Takes the rest of the bytes, or of a coinbase only its own, which more may follow. @throws Error */
export function transactionFrom(reader: Reader, prunableHash?: Uint8Array): ParsedTransaction {
	const { bytes, at: start } = reader;
	const version = reader.varint();
	require(version === 1n || version === 2n);
	const unlockTime = reader.varint();
	const inputs = inputsFrom(reader);
	const plain = outputsFrom(reader);
	const extra = reader.take(reader.count());
	const read = { unlockTime, ...inputs, extra };
	const prefix = bytes.subarray(start, reader.at);
	const hashOf = (...parts: readonly Uint8Array[]) => hex.encode(keccak_256(concatBytes(...parts)));
	if (version === 1n) {
		require(prunableHash === undefined && !inputs.isCoinbase);
		const rest = reader.take(bytes.length - reader.at);
		return { ...read, txId: hashOf(prefix, rest), fee: 0n, outputs: plain.map((each) => ({ ...each, hidden: null })) };
	}
	const baseStart = reader.at;
	const type = reader.byte();
	require(inputs.isCoinbase ? type === RCT_OF_COINBASE : RCT_TYPES.includes(type));
	const fee = inputs.isCoinbase ? 0n : reader.varint();
	const amounts = inputs.isCoinbase ? [] : plain.map(() => reader.take(HIDDEN_AMOUNT_BYTES));
	const outputs = plain.map((each, i) => {
		const amount = amounts[i];
		return { ...each, hidden: amount ? { amount, commitment: reader.take(KEY_BYTES) } : null };
	});
	const base = bytes.subarray(baseStart, reader.at);
	const prunable = inputs.isCoinbase ? NO_HASH : (prunableHash ?? keccak_256(reader.take(bytes.length - reader.at)));
	return { ...read, txId: hashOf(keccak_256(prefix), keccak_256(base), prunable), fee, outputs };
}

function inputsFrom(reader: Reader) {
	const keyImages: string[] = [];
	const ringMembers: bigint[] = [];
	let isCoinbase = false;
	for (let inputs = reader.count(); inputs > 0; inputs--) {
		const tag = reader.byte();
		reader.varint();
		isCoinbase ||= tag === INPUT_OF_COINBASE;
		if (tag === INPUT_OF_COINBASE) continue;
		require(tag === INPUT_TO_KEY);
		// The first by its number, each other one by its distance from the one before.
		let member = 0n;
		for (let members = reader.count(); members > 0; members--) {
			member += reader.varint();
			ringMembers.push(member);
		}
		keyImages.push(hex.encode(reader.take(KEY_BYTES)));
	}
	require(!isCoinbase || keyImages.length === 0);
	return { isCoinbase, keyImages, ringMembers };
}

function outputsFrom(reader: Reader): Omit<TransactionOutput, 'hidden'>[] {
	return Array.from({ length: reader.count() }, () => {
		const amount = reader.varint();
		const tag = reader.byte();
		require(tag === OUTPUT_TO_KEY || tag === OUTPUT_TO_TAGGED_KEY);
		const key = reader.take(KEY_BYTES);
		return { amount, key, viewTag: tag === OUTPUT_TO_TAGGED_KEY ? reader.byte() : null };
	});
}
