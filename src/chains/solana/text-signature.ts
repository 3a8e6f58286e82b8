/** Verifies a text that `prove.ts` signed. Pure. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { type SignedBy, type SignedText, soundly } from '../verifying-port.ts';
import { isSolanaAddress } from './address.ts';

export const signedBy = ({ address, message, signature }: SignedText): SignedBy =>
	soundly(
		() =>
			isSolanaAddress(address) &&
			ed25519.verify(base58.decode(signature), new TextEncoder().encode(message), base58.decode(address)),
	);
