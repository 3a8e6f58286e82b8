/**
 * Signs the text of a reserve, or of an address, as it is, like every wallet's `signMessage`; two formats of off-chain messages
 * are about, and no tool knows both. No transaction begins like them: their first bytes, `Pa`, would be a header that asks 80
 * signatures, of which 97 are read-only. For the signer only.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import type { AddressText } from '../address-text.ts';
import type { ReserveText } from '../reserve-text.ts';
import type { SolanaKey } from './keys.ts';

export const signText = ({ privateKey }: SolanaKey, text: ReserveText | AddressText): string =>
	base58.encode(ed25519.sign(new TextEncoder().encode(text), privateKey));
