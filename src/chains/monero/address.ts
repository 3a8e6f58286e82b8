/**
 * Monero addresses as text, on mainnet: standard, subaddress and integrated. Each is a prefix, the public spend key,
 * the public view key, in the integrated form a payment id, and four bytes of keccak as checksum (CryptoNote Standard
 * 007; prefixes from Monero's cryptonote_config.h). Pure.
 */
import { equalBytes } from '@noble/curves/utils.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58xmr, hex } from '@scure/base';
import { isPublicKey } from '../ed25519-points.ts';

const PREFIX = { standard: 18, integrated: 19, subaddress: 42 } as const;
const KEY_BYTES = 32;
const CHECKSUM_BYTES = 4;
const BODY_BYTES = 1 + 2 * KEY_BYTES;
const PAYMENT_ID_BYTES = 8;
/** Bytes before the checksum, by prefix. */
const LENGTHS: ReadonlyMap<number | undefined, number> = new Map([
	[PREFIX.standard, BODY_BYTES],
	[PREFIX.subaddress, BODY_BYTES],
	[PREFIX.integrated, BODY_BYTES + PAYMENT_ID_BYTES],
]);
/** Characters of the longest form, the integrated one. */
const MAX_LENGTH = 106;

const checksumOf = (body: Uint8Array): Uint8Array => keccak_256(body).subarray(0, CHECKSUM_BYTES);

/**
 * Null for text that encodes no bytes: a foreign character, an impossible length, a block whose number is too large.
 */
function decode(text: string): Uint8Array | null {
	try {
		return base58xmr.decode(text);
	} catch {
		return null;
	}
}

export function moneroAddress(kind: 'standard' | 'subaddress', spendKey: Uint8Array, viewKey: Uint8Array): string {
	const body = Uint8Array.of(PREFIX[kind], ...spendKey, ...viewKey);
	return base58xmr.encode(Uint8Array.of(...body, ...checksumOf(body)));
}

export function isMoneroAddress(text: string): boolean {
	if (text.length > MAX_LENGTH) return false;
	const bytes = decode(text);
	if (!bytes || LENGTHS.get(bytes[0]) !== bytes.length - CHECKSUM_BYTES) return false;
	const checksum = checksumOf(bytes.subarray(0, -CHECKSUM_BYTES));
	if (!equalBytes(bytes.subarray(-CHECKSUM_BYTES), checksum)) return false;
	return [1, 1 + KEY_BYTES].every((start) => isPublicKey(bytes.subarray(start, start + KEY_BYTES)));
}

/** Is it a wallet's own address, neither a subaddress nor one with a payment id? */
export const isStandardAddress = (text: string): boolean =>
	isMoneroAddress(text) && decode(text)?.[0] === PREFIX.standard;

/** The public spend key in an address of ours, hexadecimal. */
export const spendKeyOf = (address: string): string => hex.encode(base58xmr.decode(address).subarray(1, 1 + KEY_BYTES));

/** The standard address of an integrated address; any other address stays as it is. */
export function withoutPaymentId(address: string): string {
	const bytes = decode(address);
	if (bytes?.[0] !== PREFIX.integrated) return address;
	return moneroAddress('standard', bytes.subarray(1, 1 + KEY_BYTES), bytes.subarray(1 + KEY_BYTES, BODY_BYTES));
}
