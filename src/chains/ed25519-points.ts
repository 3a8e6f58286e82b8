/**
 * Points of ed25519, for the families whose addresses are such points. The curve is made of the library's parts at first
 * use: the library's own makes signatures and more of itself when it is loaded, a tenth of what the API Worker's start
 * costs, and takes 5 KiB more of its bundle, gzipped. Pure.
 */
import { type EdwardsPoint, type EdwardsPointCons, edwards } from '@noble/curves/abstract/edwards.js';

/** RFC 8032, section 5.1. */
const P = 2n ** 255n - 19n;
const CURVE = {
	p: P,
	n: 2n ** 252n + 27742317777372353535851937790883648493n,
	h: 8n,
	a: P - 1n,
	d: 37095705934669439343138083508754565189542113879843219016388785533085940283555n,
	Gx: 15112221349535400772501151409588531511454012693041857206046113283949847762202n,
	Gy: 46316835694926478169428394003475163141307993866256225615783033603165251855960n,
};

export type CurvePoint = EdwardsPoint;

let made: EdwardsPointCons | null = null;

export function ed25519Points(): EdwardsPointCons {
	made ??= edwards(CURVE);
	return made;
}

/**
 * Can these bytes be somebody's public key? True for 32 bytes that are the canonical encoding of a curve point (RFC 8032,
 * section 5.1.3). The eight points of small order are refused: no private key belongs to them, so coins sent there are
 * lost, or anyone can take them.
 */
export function isPublicKey(bytes: Uint8Array): boolean {
	try {
		return !ed25519Points().fromBytes(bytes).isSmallOrder();
	} catch {
		return false;
	}
}

/** Is it a point by Solana's rule? Its runtime also accepts encodings that RFC 8032 refuses. */
export function isOnCurve(bytes: Uint8Array): boolean {
	try {
		ed25519Points().fromBytes(bytes, true);
		return true;
	} catch {
		return false;
	}
}
