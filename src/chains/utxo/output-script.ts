/**
 * The output scripts that an address can stand for, byte by byte: fixed opcodes around a hash or a key of fixed length.
 * Written out, because the library's coder of scripts brings a whole curve along: 20 KiB of the API Worker's bundle, gzipped.
 * Pure.
 */
import { Field, FpIsSquare } from '@noble/curves/abstract/modular.js';
import { hex } from '@scure/base';

const OP = {
	one: 0x51,
	two: 0x52,
	dup: 0x76,
	equal: 0x87,
	equalVerify: 0x88,
	hash160: 0xa9,
	checkSig: 0xac,
	checkMultisig: 0xae,
} as const;

/** Pay to a public key's hash. */
export const keyHashScript = (hash: Uint8Array): Uint8Array =>
	Uint8Array.of(OP.dup, OP.hash160, hash.length, ...hash, OP.equalVerify, OP.checkSig);

/** Pay to a script's hash (BIP16). */
export const scriptHashScript = (hash: Uint8Array): Uint8Array =>
	Uint8Array.of(OP.hash160, hash.length, ...hash, OP.equal);

/** Version 0 (BIP141): to a key's hash of 20 bytes, or a script's of 32. */
export const witnessScript = (hash: Uint8Array): Uint8Array => Uint8Array.of(0, hash.length, ...hash);

/** Version 1 (BIP341): to a key. Null for an x coordinate that is not on the curve: it has no key, coins sent there are lost. */
export const taprootScript = (key: Uint8Array): Uint8Array | null =>
	isOnCurve(BigInt(`0x${hex.encode(key)}`)) ? Uint8Array.of(OP.one, key.length, ...key) : null;

/** Spent by both keys together. They stand in the order of their bytes (BIP67), so that either owner makes the same script. */
export function twoKeysScript(one: Uint8Array, other: Uint8Array): Uint8Array {
	const keys = [one, other].toSorted((a, b) => (hex.encode(a) < hex.encode(b) ? -1 : 1));
	return Uint8Array.of(OP.two, ...keys.flatMap((key) => [key.length, ...key]), OP.two, OP.checkMultisig);
}

const KEY_BYTES = 33;

/** The keys of such a script; null of any other. */
export function keysOfTwo(script: Uint8Array): readonly Uint8Array[] | null {
	const one = script.slice(2, 2 + KEY_BYTES);
	const other = script.slice(3 + KEY_BYTES, 3 + 2 * KEY_BYTES);
	return hex.encode(twoKeysScript(one, other)) === hex.encode(script) ? [one, other] : null;
}

/** The hash of so many bytes at this place, if around it stands what `make` puts there; null for any other script. */
export function hashIn(
	script: Uint8Array,
	{
		make,
		at,
		length,
	}: { readonly make: (hash: Uint8Array) => Uint8Array; readonly at: number; readonly length: number },
): Uint8Array | null {
	const hash = script.slice(at, at + length);
	return hash.length === length && hex.encode(make(hash)) === hex.encode(script) ? hash : null;
}

/** The field of secp256k1 (SEC 2, 2.4.1). */
const field = Field(2n ** 256n - 2n ** 32n - 977n);
const B = 7n;

/** Is there a y with y² = x³ + 7? (BIP340, `lift_x`) */
const isOnCurve = (x: bigint): boolean =>
	field.isValidNot0(x) && FpIsSquare(field, field.add(field.mul(field.sqr(x), x), B));
