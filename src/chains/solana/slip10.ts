/** SLIP-0010 for ed25519: private keys from a seed, hardened steps only. For the signer only. */
import { hmac } from '@noble/hashes/hmac.js';
import { sha512 } from '@noble/hashes/sha2.js';

export interface Slip10Node {
	/** What RFC 8032 calls the private key. */
	readonly privateKey: Uint8Array;
	readonly chainCode: Uint8Array;
}

const CURVE = new TextEncoder().encode('ed25519 seed');
const HARDENED_OFFSET = 0x8000_0000;
const KEY_BYTES = 32;

export const masterNode = (seed: Uint8Array): Slip10Node => split(hmac(sha512, CURVE, seed));

/** The child at `index`'. @throws RangeError on an index that cannot be hardened. */
export function hardenedChild({ privateKey, chainCode }: Slip10Node, index: number): Slip10Node {
	if (!Number.isInteger(index) || index < 0 || index >= HARDENED_OFFSET)
		throw new RangeError(`no such index: ${index}`);
	const data = new Uint8Array(1 + KEY_BYTES + 4);
	data.set(privateKey, 1);
	new DataView(data.buffer).setUint32(1 + KEY_BYTES, HARDENED_OFFSET + index);
	return split(hmac(sha512, chainCode, data));
}

const split = (hash: Uint8Array): Slip10Node => ({
	privateKey: hash.slice(0, KEY_BYTES),
	chainCode: hash.slice(KEY_BYTES),
});
