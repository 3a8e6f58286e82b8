/** Bitcoin's hash of two rounds, and the merkle tree of a block's transaction ids. Pure. */
import { equalBytes } from '@noble/curves/utils.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { ChainUnavailable } from '../errors.ts';

const HASH_BYTES = 32;

export const sha256d = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes));

/** Ids and block hashes are written in reverse. */
export const reversedHex = (bytes: Uint8Array): string => hex.encode(bytes.toReversed());

/**
 * A level of odd length repeats its last hash, so a list that really ends with two equal hashes has the root of a shorter
 * one: refused, because then the same root stands for two lists (CVE-2012-2459).
 * @throws ChainUnavailable
 */
export function merkleRoot(ids: readonly Uint8Array[]): Uint8Array {
	let level = ids;
	while (level.length > 1) level = levelAbove(level);
	if (!level[0]) throw new ChainUnavailable('a block without transactions');
	return level[0];
}

function levelAbove(level: readonly Uint8Array[]): Uint8Array[] {
	const above: Uint8Array[] = [];
	for (let at = 0; at < level.length; at += 2) {
		const left = level[at] as Uint8Array;
		const right = level[at + 1];
		if (right && equalBytes(left, right)) throw new ChainUnavailable('a block that repeats its transactions');
		const pair = new Uint8Array(2 * HASH_BYTES);
		pair.set(left);
		pair.set(right ?? left, HASH_BYTES);
		above.push(sha256d(pair));
	}
	return above;
}
