/**
 * Tron addresses as text: base58check of 0x41 and the 20 bytes that an EVM address would have. Tron's nodes also use a
 * hex form. It has no checksum and is refused. Pure.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check, hex } from '@scure/base';

const ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
const VERSION = 0x41;
const HASH_BYTES = 20;

const base58check = createBase58check(sha256);

/** `hash`: the last 20 bytes of the public key's hash. */
export const tronAddress = (hash: Uint8Array): string => base58check.encode(Uint8Array.of(VERSION, ...hash));

/** The address of 20 zeros belongs to nobody: Tron's users burn coins there. */
export function isTronAddress(text: string): boolean {
	if (!ADDRESS.test(text)) return false;
	try {
		const [version, ...hash] = base58check.decode(text);
		return version === VERSION && hash.length === HASH_BYTES && hash.some((byte) => byte !== 0);
	} catch {
		return false;
	}
}

/**
 * The version byte and the hash, the form of an address in transactions. @throws Error on text that is not an address.
 */
export const addressBytes = (address: string): Uint8Array => base58check.decode(address);

/**
 * The hash alone in hex, the form of an account in event logs and contracts. @throws Error on text that is not an
 * address.
 */
export const hashOf = (address: string): string => hex.encode(addressBytes(address).subarray(1));
