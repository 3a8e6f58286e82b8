/**
 * The hot wallet's key of two judges on Solana. What we use of the library is compared with the vectors of RFC 9591, appendix E.1,
 * and every signature is judged by Node's own ed25519.
 */
import { createPublicKey, verify } from 'node:crypto';
import { ed25519, ed25519_FROST as FROST } from '@noble/curves/ed25519.js';
import { base58, hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { describe, expect, it } from 'vitest';
import { hotAddress } from '../../src/chains/solana/keys.ts';
import { judgeText, sharedKey } from '../../src/chains/solana/shared-key.ts';
import { Random } from '../cast/random.ts';

const SIGNER = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const COSIGNER = mnemonicToSeedSync(`${'zoo '.repeat(11)}wrong`);
const keysOf = (text: string) => ({ payIn: '', hot: text });
const signer = sharedKey(SIGNER, { role: 'signer', other: keysOf(judgeText(COSIGNER)) });
const cosigner = sharedKey(COSIGNER, { role: 'cosigner', other: keysOf(judgeText(SIGNER)) });
const MESSAGE = new TextEncoder().encode('a payment');

/** By OpenSSL, which knows nothing of how it was made. */
function isSignature(signature: Uint8Array, message: Uint8Array, address: string): boolean {
	const prefix = hex.decode('302a300506032b6570032100');
	const der = Buffer.concat([prefix, base58.decode(address)]);
	return verify(null, message, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature);
}

/** Both sign as they do over the link. */
function signed(message: Uint8Array) {
	const [first, second] = [signer.begin(), cosigner.begin()];
	const theirs = { commitment: second.commitment, share: second.share(message, first.commitment) };
	return { signature: first.whole(message, theirs), first, second, theirs };
}

describe('what we use of the library', () => {
	/** RFC 9591, appendix E.1, FROST(Ed25519, SHA-512): 2 of 3, signed by 1 and 3. */
	it('makes the signature of RFC 9591, appendix E.1', () => {
		const [one, three] = [FROST.Identifier.fromNumber(1), FROST.Identifier.fromNumber(3)];
		const groupKey = '15d21ccd7ee42959562fc8aa63224c8851fb3ec85a3faf66040d380fb9738673';
		const shares = {
			[one]: '929dcc590407aae7d388761cddb0c0db6f5627aea8e217f4a033f2ec83d93509',
			[three]: 'd3cb090a075eb154e82fdb4b3cb507f110040905468bb9c46da8bdea643a9a02',
		};
		const nonces = {
			[one]: [
				'812d6104142944d5a55924de6d49940956206909f2acaeedecda2b726e630407',
				'b1110165fc2334149750b28dd813a39244f315cff14d4e89e6142f262ed83301',
			],
			[three]: [
				'c256de65476204095ebdc01bd11dc10e57b36bc96284595b8215222374f99c0e',
				'243d71944d929063bc51205714ae3c2218bd3451d0214dfb5aeec2a90c35180d',
			],
		};
		const ids = [one, three];
		const basePoint = (scalar = '') => ed25519.Point.BASE.multiply(ed25519.Point.Fn.fromBytes(hex.decode(scalar)));
		const list = ids.map((identifier) => {
			const [hiding, binding] = nonces[identifier] ?? [];
			return { identifier, hiding: basePoint(hiding).toBytes(), binding: basePoint(binding).toBytes() };
		});
		const group = {
			signers: { min: 2, max: 3 },
			commitments: [hex.decode(groupKey)],
			verifyingShares: Object.fromEntries(ids.map((id) => [id, basePoint(shares[id]).toBytes()])),
		};
		const message = hex.decode('74657374');
		const made = ids.map((identifier) => {
			const [hiding = '', binding = ''] = nonces[identifier] ?? [];
			const secret = { identifier, signingShare: hex.decode(shares[identifier] ?? '') };
			const pair = { hiding: hex.decode(hiding), binding: hex.decode(binding) };
			return FROST.signShare(secret, group, pair, list, message);
		});
		expect(made.map((share) => hex.encode(share))).toEqual([
			'001719ab5a53ee1a12095cd088fd149702c0720ce5fd2f29dbecf24b7281b603',
			'bd86125de990acc5e1f13781d8e32c03a9bbd4c53539bbc106058bfd14326007',
		]);
		const both = Object.fromEntries(ids.map((id, at) => [id, made[at] ?? new Uint8Array()]));
		expect(hex.encode(FROST.aggregate(group, list, message, both))).toBe(
			'36282629c383bb820a88b71cae937d41f2f2adfcc3d02e55507e2fb9e2dd3cbebd9d2b0844e49ae0f3fa935161e1419aab7b47d21a37ebeae1f17d4987b3160b',
		);
	});
});

describe('the hot wallet’s key of two judges', () => {
	it('is the same for both, of no judge alone, and signs as any wallet does', () => {
		expect(signer.address).toBe(cosigner.address);
		const own = [judgeText(SIGNER), judgeText(COSIGNER)].map((text) => text.split(' ')[0]);
		expect([...own, hotAddress(SIGNER), hotAddress(COSIGNER)]).not.toContain(signer.address);
		const random = new Random(1);
		for (let round = 0; round < 4; round++) {
			const message = Uint8Array.from({ length: random.below(900) }, () => random.below(256));
			expect(isSignature(signed(message).signature, message, signer.address)).toBe(true);
		}
	});

	it('signs nothing with one judge: whatever the other half is, and whichever message', () => {
		const { theirs, signature } = signed(MESSAGE);
		const random = new Random(2);
		for (let round = 0; round < 3; round++) {
			const alone = signer.begin();
			const made = {
				commitment: alone.commitment,
				share: hex.encode(hex.decode(theirs.share).map(() => random.below(256))),
			};
			expect(() => alone.whole(MESSAGE, made)).toThrow('part of the signature');
			expect(() => signer.begin().whole(MESSAGE, theirs)).toThrow('the co-signer’s share of the signature is wrong');
			expect(isSignature(signature, Uint8Array.from([...MESSAGE, round]), signer.address)).toBe(false);
		}
		const [one, other] = [signer.begin(), cosigner.begin()];
		const share = other.share(Uint8Array.from([...MESSAGE, 1]), one.commitment);
		expect(() => one.whole(MESSAGE, { commitment: other.commitment, share })).toThrow(
			'share of the signature is wrong',
		);
	});

	it('uses no nonce twice, and never the same one for two signatures', () => {
		const { first, second, theirs } = signed(MESSAGE);
		expect(() => second.share(MESSAGE, first.commitment)).toThrow('already used');
		expect(() => first.share(MESSAGE, second.commitment)).toThrow('already used');
		expect(() => first.whole(MESSAGE, theirs)).toThrow('already used');
		const made = Array.from({ length: 50 }, () => signer.begin().commitment);
		expect(new Set(made.flatMap((each) => [each.slice(0, 64), each.slice(64)])).size).toBe(100);
	});

	it.each([
		['no key', 'x'],
		['a key that has not signed', judgeText(COSIGNER).split(' ')[0] ?? ''],
		['a key with the signature of another', `${judgeText(COSIGNER).split(' ')[0]} ${judgeText(SIGNER).split(' ')[1]}`],
		[
			'a key that makes the sum the other judge’s own',
			(() => {
				const [own = '', theirs = ''] = [judgeText(COSIGNER), judgeText(SIGNER)].map((text) => text.split(' ')[0]);
				const [a, b] = [own, theirs].map((text) => ed25519.Point.fromBytes(base58.decode(text)));
				const rogue = a && b ? a.subtract(b) : ed25519.Point.ZERO;
				return `${base58.encode(rogue.toBytes())} ${judgeText(COSIGNER).split(' ')[1]}`;
			})(),
		],
	])('takes from the other judge no %s', (_, text) => {
		expect(() => sharedKey(SIGNER, { role: 'signer', other: keysOf(text) })).toThrow('has not signed');
		expect(() => sharedKey(SIGNER, { role: 'signer', other: keysOf(judgeText(SIGNER)) })).toThrow('own key');
	});

	it.each([
		['identity', `01${'00'.repeat(31)}`],
		['point of order two', `ec${'ff'.repeat(30)}7f`],
	])('takes from the other judge no key without a secret, whose signature anybody can make: the %s', (_, point) => {
		const forged = Uint8Array.from([...ed25519.Point.BASE.toBytes(), 1, ...new Uint8Array(31)]);
		const text = `${base58.encode(hex.decode(point))} ${base58.encode(forged)}`;
		expect(() => sharedKey(SIGNER, { role: 'signer', other: keysOf(text) })).toThrow(
			/no key of a wallet|has not signed/,
		);
	});
});
