/** Can these bytes be somebody's public key? For the families whose addresses are ed25519 points. Pure. */
import { ed25519 } from '@noble/curves/ed25519.js';

/**
 * True for 32 bytes that are the canonical encoding of a curve point (RFC 8032, section 5.1.3). The eight points of
 * small order are refused: no private key belongs to them, so coins sent there are lost, or anyone can take them.
 */
export function isPublicKey(bytes: Uint8Array): boolean {
	try {
		return !ed25519.Point.fromBytes(bytes).isSmallOrder();
	} catch {
		return false;
	}
}
