/** Is this a public key that somebody can hold? For the families whose addresses are points of ed25519. Pure. */
import { ed25519 } from '@noble/curves/ed25519.js';

/**
 * 32 bytes that encode a point of the curve in the one way of RFC 8032, section 5.1.3. The eight points of small order
 * are refused as well: no private key leads to them, so what they receive is gone, or anybody's.
 */
export function isPublicKey(bytes: Uint8Array): boolean {
	try {
		return !ed25519.Point.fromBytes(bytes).isSmallOrder();
	} catch {
		return false;
	}
}
