/**
 * The bytes of one transaction. One form serves all coins, because a misread byte gives another id: segwit (BIP144);
 * Litecoin's MWEB, in a block and in the mempool; Dash's special transactions (DIP 2), where the coin's form says so,
 * because one without inputs looks like segwit's marker. Pure.
 */
import { concatBytes } from '@noble/hashes/utils.js';
import { ChainUnavailable } from '../errors.ts';
import { type ByteReader, byteReader } from './byte-reader.ts';
import { reversedHex, sha256d } from './merkle.ts';

export interface Outpoint {
	readonly txId: string;
	readonly vout: number;
}

export interface Spend extends Outpoint {
	/**
	 * The compressed public key, or the script of two keys, that this input shows, as it must where it spends a coin of our
	 * own kinds (`own-script.ts`). Anyone who spends a script of their own can show a lock of ours too: which coin it spends
	 * decides.
	 */
	readonly lock: Uint8Array | null;
}

export interface Transaction {
	readonly id: string;
	/** None in a coinbase. */
	readonly spends: readonly Spend[];
	/** Amounts in base units. */
	readonly outputs: readonly { readonly amount: bigint; readonly script: Uint8Array }[];
	/** As the provider sent it. */
	readonly bytes: Uint8Array;
	/** Number of bytes without those of witnesses (BIP141). */
	readonly strippedBytes: number;
	readonly isCoinbase: boolean;
	/** Litecoin: its outputs from 1 on are peg-outs, which nobody can spend for 6 blocks. */
	readonly isHogEx: boolean;
}

/** How a coin's bytes are read. */
export interface Form {
	/** Dash: blocks are named by X11, and transactions may carry a payload behind the lock time. */
	readonly x11: boolean;
}

export interface ReadTransaction extends Transaction {
	/** In the order in which they are hashed. */
	readonly idBytes: Uint8Array;
	/** Script of the first input. */
	readonly firstScript: Uint8Array;
}

const WITNESS = 1;
const MWEB = 8;
const LOCK_TIME_BYTES = 4;
const NO_HASH = '00'.repeat(32);
const NO_INDEX = 0xffffffff;
/** From this version on, the upper half of Dash's version is a type. */
const TYPED_VERSION = 3;
/** Witness version 8 and 32 bytes, to which the HogEx pays the balance of MWEB. */
const HOG_ADDRESS = [0x58, 0x20] as const;

/** One whole transaction, as a node serves it. @throws ChainUnavailable also where bytes are left */
export function readTransaction(bytes: Uint8Array, form: Form): Transaction {
	const next = byteReader(bytes);
	const transaction = nextTransaction(next, form, 'alone');
	if (next.rest() > 0) throw new ChainUnavailable('there are bytes behind the transaction');
	return transaction;
}

/** `alone`: what MWEB adds to a transaction of the mempool fills the bytes up to the lock time, which is the last. */
export function nextTransaction(
	next: ByteReader,
	form: Form,
	place: 'alone' | 'in a block' = 'in a block',
): ReadTransaction {
	const from = next.at();
	const version = next.u32();
	const isTyped = form.x11 && version >>> 16 !== 0 && (version & 0xffff) >= TYPED_VERSION;
	const flags = !isTyped && next.peek() === 0 ? flagsOf(next) : 0;
	const body = next.at();
	const inputs = listOf(next, () => inputOf(next));
	const outputs = listOf(next, () => ({ amount: next.u64(), script: next.counted() }));
	const bodyEnd = next.at();
	const witnesses = flags & WITNESS ? inputs.map(() => listOf(next, next.counted)) : [];
	if (flags & MWEB && next.byte() !== 0) {
		if (place !== 'alone') throw new ChainUnavailable('a transaction in a block carries what only the mempool holds');
		next.take(Math.max(0, next.rest() - LOCK_TIME_BYTES));
	}
	const lockTime = next.take(LOCK_TIME_BYTES);
	if (isTyped) next.counted();

	const hashed = flags === 0 ? [next.since(from)] : [next.since(from, 4), next.since(body, bodyEnd - body), lockTime];
	const idBytes = sha256d(concatBytes(...hashed));
	const isCoinbase = inputs.length === 1 && inputs[0]?.txId === NO_HASH && inputs[0].vout === NO_INDEX;
	return {
		id: reversedHex(idBytes),
		idBytes,
		spends: isCoinbase
			? []
			: inputs.map(({ txId, vout, script }, at) => ({ txId, vout, lock: lockIn(script, witnesses[at] ?? []) })),
		outputs,
		bytes: next.since(from),
		strippedBytes: hashed.reduce((sum, { length }) => sum + length, 0),
		isCoinbase,
		isHogEx: !isCoinbase && HOG_ADDRESS.every((byte, at) => outputs[0]?.script[at] === byte),
		firstScript: inputs[0]?.script ?? new Uint8Array(),
	};
}

/** Segwit's marker is an empty list of inputs, and a byte of flags follows it. */
function flagsOf(next: ByteReader): number {
	next.byte();
	const flags = next.byte();
	if (flags === 0 || (flags & ~(WITNESS | MWEB)) !== 0)
		throw new ChainUnavailable(`a transaction has flags that are not known: ${flags}`);
	return flags;
}

interface Input extends Outpoint {
	readonly script: Uint8Array;
}

function inputOf(next: ByteReader): Input {
	const input = { txId: reversedHex(next.take(32)), vout: next.u32(), script: next.counted() };
	// The sequence number.
	next.u32();
	return input;
}

function listOf<T>(next: ByteReader, read: () => T): T[] {
	const list: T[] = [];
	for (let left = next.count(); left > 0; left--) list.push(read());
	return list;
}

const KEY_BYTES = 33;
/** A script of two keys (`twoKeysScript`). */
const TWO_KEYS_BYTES = 2 * (1 + KEY_BYTES) + 3;
const MAX_PUSHED = 0x4b;

/** The lock that an input shows behind its signatures, in its witness, or in its script, which pushes them. */
export function lockIn(script: Uint8Array, witness: readonly Uint8Array[]): Uint8Array | null {
	const shown = script.length === 0 ? witness : pushedIn(script);
	const lock = shown.at(-1);
	if (shown.length === 2 && lock?.length === KEY_BYTES) return lock[0] === 2 || lock[0] === 3 ? lock : null;
	// CHECKMULTISIG takes one item more than it needs.
	return shown.length === 4 && shown[0]?.length === 0 && lock?.length === TWO_KEYS_BYTES ? lock : null;
}

/** The items that a script pushes; none where it does more than that, or pushes more than our own kinds show. */
function pushedIn(script: Uint8Array): Uint8Array[] {
	const pushed: Uint8Array[] = [];
	for (let at = 0; at < script.length; ) {
		const length = script[at] as number;
		const item = script.subarray(at + 1, at + 1 + length);
		if (length > MAX_PUSHED || item.length < length || pushed.length === 4) return [];
		pushed.push(item);
		at += 1 + length;
	}
	return pushed;
}
