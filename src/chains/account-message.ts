/**
 * Messages as accounts sign them that have Ethereum's keys: EIP-191's version 0x45 (`personal_sign`), and Tron's TIP-191
 * (`signMessageV2`). What is hashed begins with 0x19. No list of RLP and no type of a transaction (EIP-2718) does, and
 * Tron hashes a transaction with another function. Pure.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';
import type { ReserveText } from './reserve-text.ts';

/** The recovery byte is counted from here (Ethereum's yellow paper, appendix F). */
export const RECOVERY_BASE = 27;

/** The name that stands in front of a message. */
export type MessageName = 'Ethereum' | 'TRON';

export const messageBytes = (name: MessageName, text: string): Uint8Array =>
	new TextEncoder().encode(`\x19${name} Signed Message:\n${text.length}${text}`);

/** r, s and the recovery byte, as accounts sign a digest. */
export function signatureOf(digest: Uint8Array, privateKey: Uint8Array): Uint8Array {
	const [recovery = 0, ...rs] = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' });
	return Uint8Array.of(...rs, recovery + RECOVERY_BASE);
}

export const messageDigest = (name: MessageName, text: string): Uint8Array => keccak_256(messageBytes(name, text));

/** In hexadecimal behind `0x`. */
export const signMessage = (name: MessageName, text: ReserveText, privateKey: Uint8Array): string =>
	`0x${hex.encode(signatureOf(messageDigest(name, text), privateKey))}`;
