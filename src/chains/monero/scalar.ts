/** Numbers below the order of Monero's group, made by its hash. Pure. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { ed25519Points } from '../ed25519-points.ts';

/** Domain separator of subaddress keys (Monero's HASH_KEY_SUBADDRESS). */
const SUBADDRESS_DOMAIN = new TextEncoder().encode('SubAddr\0');

export const littleEndian = (bytes: Uint8Array): bigint =>
	bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);

/** Keccak as a little-endian number, reduced below the order: Monero's hash_to_scalar. */
export const hashToScalar = (...parts: readonly Uint8Array[]): bigint =>
	ed25519Points().Fn.create(littleEndian(keccak_256(concatBytes(...parts))));

/** m of the subaddress with the spend key B + mG. */
export function subaddressScalar(secretViewKey: bigint, account: number, minor: number): bigint {
	const place = new DataView(new ArrayBuffer(8));
	place.setUint32(0, account, true);
	place.setUint32(4, minor, true);
	return hashToScalar(SUBADDRESS_DOMAIN, ed25519Points().Fn.toBytes(secretViewKey), new Uint8Array(place.buffer));
}
