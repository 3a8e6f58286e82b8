/** The work of block headers and the target that each must reach (Bitcoin's and Litecoin's rules). Pure. */
import { scrypt } from '@noble/hashes/scrypt.js';
import { hex } from '@scure/base';
import { greater, lesser } from '../../money/units.ts';
import { sha256d } from './merkle.ts';

export type WorkFunction = 'sha256d' | 'scrypt';

/** The target changes after so many blocks. */
export const PERIOD_BLOCKS = 2_016;
/** A period that took longer or shorter by more than this factor counts as longer or shorter by it. */
const MOST_CHANGE = 4n;
const SCRYPT = { N: 1_024, r: 1, p: 1, dkLen: 32 } as const;

interface Retarget {
	/** The seconds that a period should take. */
	readonly seconds: bigint;
	/** No target is higher. */
	readonly highest: bigint;
	/** From a period's last header back to the one whose time it is measured from. */
	readonly lookBack: number;
}

const ALL = 2n ** 256n;

/** Bitcoin measures between a period's own headers, one interval too short; Litecoin from the last one before it. */
export const RETARGETS: Readonly<Record<WorkFunction, Retarget>> = {
	sha256d: { seconds: 14n * 86_400n, highest: (ALL >> 32n) - 1n, lookBack: PERIOD_BLOCKS - 1 },
	scrypt: { seconds: 302_400n, highest: (ALL >> 20n) - 1n, lookBack: PERIOD_BLOCKS },
};

const fieldOf = (header: Uint8Array, at: number): number =>
	new DataView(header.buffer, header.byteOffset, header.byteLength).getUint32(at, true);

/** Unix seconds. */
export const timeOf = (header: Uint8Array): number => fieldOf(header, 68);

/** The target in its short form. */
export const bitsOf = (header: Uint8Array): number => fieldOf(header, 72);

/** `bits`: the length in bytes, and the first three of them. */
export function targetOf(bits: number): bigint {
	const shift = 8n * BigInt((bits >>> 24) - 3);
	const first = BigInt(bits & 0x7fffff);
	return shift < 0n ? first >> -shift : first << shift;
}

/** The lower bytes are lost. */
export function bitsFor(target: bigint): number {
	let length = Math.ceil(target.toString(16).length / 2);
	let first = Number(length > 3 ? target >> (8n * BigInt(length - 3)) : target << (8n * BigInt(3 - length)));
	// The highest bit is a sign.
	if (first & 0x800000) {
		first >>= 8;
		length += 1;
	}
	return ((length << 24) | first) >>> 0;
}

/** Expected tries until a header has such bits. */
export const workOf = (bits: number): bigint => ALL / (targetOf(bits) + 1n);

/** Bits of the next period. `seconds`: what the last one took by its headers. */
export function nextBits(work: WorkFunction, bits: number, seconds: number): number {
	const { seconds: due, highest } = RETARGETS[work];
	const took = greater(due / MOST_CHANGE, lesser(due * MOST_CHANGE, BigInt(seconds)));
	return bitsFor(lesser(highest, (targetOf(bits) * took) / due));
}

/** Has somebody really worked for this header? A scrypt hash takes about a millisecond. */
export function hasWorked(work: WorkFunction, header: Uint8Array): boolean {
	const hash = work === 'scrypt' ? scrypt(header, header, SCRYPT) : sha256d(header);
	return BigInt(`0x${hex.encode(hash.toReversed())}`) <= targetOf(bitsOf(header));
}
