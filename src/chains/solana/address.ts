/**
 * Solana addresses as text: an ed25519 public key in base58, without a checksum. Addresses off the curve belong to
 * programs and are refused, because a payout to one could be lost. Pure.
 */
import { base58 } from '@scure/base';
import { isPublicKey } from '../ed25519-points.ts';

/** 32 bytes in base58, at least (all zeros) and at most. */
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const KEY_BYTES = 32;

export const solanaAddress = (publicKey: Uint8Array): string => base58.encode(publicKey);

export function isSolanaAddress(text: string): boolean {
	if (!ADDRESS.test(text)) return false;
	const key = base58.decode(text);
	return key.length === KEY_BYTES && isPublicKey(key);
}
