/**
 * The output scripts that an address can stand for, byte by byte: fixed opcodes around a hash or a key of fixed length.
 * Written out, because the library's coder of scripts brings a whole curve along: 20 KiB of the API Worker's bundle, gzipped.
 * Pure.
 */
import { Field, FpIsSquare } from '@noble/curves/abstract/modular.js';
import { hex } from '@scure/base';

const HASH_BYTES = 20;
const OP = { dup: 0x76, equal: 0x87, equalVerify: 0x88, hash160: 0xa9, checkSig: 0xac, one: 0x51 } as const;

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

/** The hash of a script of one of these two kinds; null for any other script. */
export const keyHashIn = (script: Uint8Array): Uint8Array | null => hashIn(script, keyHashScript, 3);
export const witnessKeyHashIn = (script: Uint8Array): Uint8Array | null => hashIn(script, witnessScript, 2);

/** The hash at this place, if around it stands what `make` puts there. */
function hashIn(script: Uint8Array, make: (hash: Uint8Array) => Uint8Array, at: number): Uint8Array | null {
	const hash = script.slice(at, at + HASH_BYTES);
	return hash.length === HASH_BYTES && hex.encode(make(hash)) === hex.encode(script) ? hash : null;
}

/** The field of secp256k1 (SEC 2, 2.4.1). */
const field = Field(2n ** 256n - 2n ** 32n - 977n);
const B = 7n;

/** Is there a y with y² = x³ + 7? (BIP340, `lift_x`) */
const isOnCurve = (x: bigint): boolean =>
	field.isValidNot0(x) && FpIsSquare(field, field.add(field.mul(field.sqr(x), x), B));
