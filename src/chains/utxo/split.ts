/**
 * Splits a block's bytes into its transactions, and proves them by their ids: together they make the merkle root of the
 * header. Pure.
 *
 * A transaction of 64 bytes could pass for two hashes inside the tree, and the reverse (CVE-2017-12842). Both take a
 * list whose every member is such a one, its coinbase included, and no pair of hashes looks like a coinbase: 36 of its
 * bytes are fixed. So none is refused for its length, because a miner could stop us with it.
 */
import { equalBytes } from '@noble/curves/utils.js';
import { ChainUnavailable } from '../errors.ts';
import { byteReader } from './byte-reader.ts';
import { merkleRoot, reversedHex, sha256d } from './merkle.ts';
import { type Form, nextTransaction, type ReadTransaction, type Transaction } from './transaction-bytes.ts';

export const HEADER_BYTES = 80;

export interface Block {
	readonly hash: string;
	/** 80 bytes. */
	readonly header: Uint8Array;
	readonly previousHash: string;
	/** As its coinbase says (BIP34); null where it does not say: blocks before 2013. */
	readonly height: number | null;
	/** In order. Litecoin's last one is the HogEx, if it has one. */
	readonly transactions: readonly Transaction[];
}

/** The name of a block; Dash's is X11, which nothing here computes. */
export const headerHash = (header: Uint8Array): string => reversedHex(sha256d(header));

/**
 * `hash`: that was asked for. @throws ChainUnavailable unless the bytes are a block with this hash whose transactions hash
 * to its merkle root; the hash itself is the provider's word where the coin's `Form` says `x11`
 */
export function splitBlock(bytes: Uint8Array, hash: string, form: Form): Block {
	const next = byteReader(bytes);
	const header = next.take(HEADER_BYTES);
	if (!form.x11 && headerHash(header) !== hash) throw new ChainUnavailable(`the bytes of block ${hash} are another's`);
	const read: ReadTransaction[] = [];
	for (let left = next.count(); left > 0; left--) read.push(nextTransaction(next, form));
	requireNothingElse(next.rest(), read);
	const [coinbase, ...others] = read;
	if (!coinbase?.isCoinbase || others.some(({ isCoinbase }) => isCoinbase))
		throw new ChainUnavailable(`the bytes of block ${hash} do not begin with its coinbase`);
	if (!equalBytes(merkleRoot(read.map(({ idBytes }) => idBytes)), header.subarray(36, 68)))
		throw new ChainUnavailable(`the transactions of block ${hash} do not hash to its header`);
	return {
		hash,
		header,
		previousHash: reversedHex(header.subarray(4, 36)),
		height: heightIn(coinbase.firstScript),
		transactions: read,
	};
}

/** Behind Litecoin's HogEx stands the extension block, which the ids do not cover and which pays none of our addresses. */
function requireNothingElse(rest: number, transactions: readonly ReadTransaction[]): void {
	if (rest > 0 && !transactions.at(-1)?.isHogEx) throw new ChainUnavailable('there are bytes behind the transactions');
}

const [OP_1, OP_16] = [0x51, 0x60];
/** A height of five bytes is ten thousand years away. */
const MAX_HEIGHT_BYTES = 4;

/** The number that the script pushes first (BIP34). */
function heightIn(script: Uint8Array): number | null {
	const [first = 0] = script;
	if (first >= OP_1 && first <= OP_16) return first - OP_1 + 1;
	if (first > MAX_HEIGHT_BYTES || script.length <= first) return null;
	return script.subarray(1, 1 + first).reduceRight((height, byte) => height * 256 + byte, 0);
}
