/**
 * Reads a Monero block's bytes: what hashes to its id names every transaction in it. The work behind the id (RandomX) is
 * too much for a Worker: that the chain is the true one is for the daemons to agree on. Pure.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import { Reader, varint } from './reader.ts';
import { type ParsedTransaction, transactionFrom } from './transaction.ts';

const HASH_BYTES = 32;
const NONCE_BYTES = 4;
/** The newest version whose transactions this code reads: a later one may pay us in a form that it would not see. */
const NEWEST_VERSION = 16n;

export interface Block {
	readonly hash: string;
	readonly previous: string;
	readonly coinbase: ParsedTransaction;
	/** The ids of all but the coinbase. */
	readonly txIds: readonly string[];
}

/** @throws Error on other bytes, and on a version that this code does not know */
export function parseBlock(blob: string): Block {
	const reader = new Reader(hex.decode(blob));
	const version = reader.varint();
	if (version > NEWEST_VERSION)
		throw new Error(
			`a block of version ${version}: this release reads up to ${NEWEST_VERSION}, so it needs a newer one`,
		);
	// The minor version and the time.
	reader.varint();
	reader.varint();
	const previous = hex.encode(reader.take(HASH_BYTES));
	reader.take(NONCE_BYTES);
	const header = reader.bytes.subarray(0, reader.at);
	const coinbase = transactionFrom(reader);
	const hashes = Array.from({ length: reader.count() }, () => reader.take(HASH_BYTES));
	if (!reader.isAtEnd) throw new TypeError('more bytes than a block has');
	const root = treeHash([hex.decode(coinbase.txId), ...hashes]);
	const hashed = concatBytes(header, root, varint(hashes.length + 1));
	const hash = hex.encode(keccak_256(concatBytes(varint(hashed.length), hashed)));
	return { hash, previous, coinbase, txIds: hashes.map((each) => hex.encode(each)) };
}

/** Monero's tree_hash: the leaves beyond a power of two are joined first, from the end. */
function treeHash(leaves: readonly Uint8Array[]): Uint8Array {
	let width = 1;
	while (2 * width < leaves.length) width *= 2;
	const single = Math.max(0, 2 * width - leaves.length);
	let level = [...leaves.slice(0, single), ...joined(leaves.slice(single))];
	while (level.length > 1) level = joined(level);
	return level[0] ?? new Uint8Array(HASH_BYTES);
}

const joined = (hashes: readonly Uint8Array[]): Uint8Array[] =>
	Array.from({ length: hashes.length / 2 }, (_, i) => keccak_256(concatBytes(...hashes.slice(2 * i, 2 * i + 2))));
