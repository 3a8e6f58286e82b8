/** Points of ed25519 as our own curve decides them, against the library's: RFC 8032 and the rule of Solana's runtime. */
import { randomBytes } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { expect, it } from 'vitest';
import { isOnCurve, isPublicKey } from '../../src/chains/ed25519-points.ts';

const holds = (run: () => boolean): boolean => {
	try {
		return run();
	} catch {
		return false;
	}
};
const P = 2n ** 255n - 19n;
const encoded = (y: bigint, sign: 0 | 1): Uint8Array =>
	Uint8Array.from({ length: 32 }, (_, i) => Number((y >> BigInt(8 * i)) & 255n) | (i === 31 ? sign << 7 : 0));

/** Around 0, 1 and p: small order, encodings that are not canonical, and x = 0 with a sign. */
const EDGES = [0n, 1n, 2n, P - 2n, P - 1n, P, P + 1n, P + 18n, 2n ** 255n - 1n].flatMap((y) => [
	encoded(y, 0),
	encoded(y, 1),
]);
/** One in two is a point. */
const ANY = Array.from({ length: 300 }, () => new Uint8Array(randomBytes(32)));
const KEYS = Array.from({ length: 50 }, () => ed25519.getPublicKey(randomBytes(32)));

it.each(Object.entries({ EDGES, ANY, KEYS }))('%s are keys and points exactly where the library says so', (_, all) => {
	for (const bytes of all) {
		expect(isPublicKey(bytes)).toBe(holds(() => !ed25519.Point.fromBytes(bytes).isSmallOrder()));
		expect(isOnCurve(bytes)).toBe(holds(() => ed25519.Point.fromBytes(bytes, true) !== null));
	}
});

it('the public keys of RFC 8032, section 7.1, are keys', () => {
	const keys = [
		'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
		'3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
		'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
	];
	for (const key of keys) expect(isPublicKey(Uint8Array.from(Buffer.from(key, 'hex')))).toBe(true);
});

it('nothing but 32 bytes is a point', () => {
	for (const length of [0, 31, 33])
		expect([isPublicKey, isOnCurve].map((is) => is(new Uint8Array(length)))).toEqual([false, false]);
});
