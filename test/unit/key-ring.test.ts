/** The forms in which an operator may write keys, and what each key may still open. */
import { base64, base64nopad, base64urlnopad } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { asIfValid, type KeyVariables, keyRing } from '../../src/crypto/key-ring.ts';
import { openSecret, sealSecret } from '../../src/crypto/sealed.ts';
import { isOldSeal, seal, sealHolds } from '../../src/crypto/seals.ts';

/** Bytes whose base64 has padding and both characters that differ in base64url. */
const BYTES = Uint8Array.from({ length: 32 }, (_, i) => (i % 2 ? 0xff : 0xfb - i));
const OTHER = base64urlnopad.encode(Uint8Array.from({ length: 32 }, (_, i) => i));
const TEXT = base64urlnopad.encode(BYTES);
const ringOf = (variables: KeyVariables) => keyRing(variables, 'SEAL_KEY');

/** The time of the change, Unix milliseconds. */
const CHANGED = Date.UTC(2026, 10, 1);
const ROTATED: KeyVariables = {
	SEAL_KEY: OTHER,
	SEAL_KEY_NUMBER: '2',
	SEAL_KEY_PREVIOUS: TEXT,
	SEAL_KEY_CHANGED_AT: String(CHANGED / 1000),
};

describe('a key', () => {
	it.each([
		['base64url without padding', TEXT],
		['base64 with padding', base64.encode(BYTES)],
		['base64 without padding', base64nopad.encode(BYTES)],
		['what openssl prints, with its line feed', `${base64.encode(BYTES)}\n`],
	])('is accepted as %s', (_, text) => {
		expect(ringOf({ SEAL_KEY: text }).current.bytes).toEqual(BYTES);
	});

	it.each([
		['is missing', {}, 'SEAL_KEY is missing'],
		['is empty', { SEAL_KEY: '' }, 'SEAL_KEY is missing'],
		['is a byte short', { SEAL_KEY: base64.encode(BYTES.slice(1)) }, 'SEAL_KEY holds 31 bytes instead of 32'],
		['is hex', { SEAL_KEY: 'ab'.repeat(32) }, 'SEAL_KEY holds 48 bytes instead of 32'],
		['is no text of bytes', { SEAL_KEY: 'correct horse' }, 'SEAL_KEY is neither base64 nor base64url'],
		['has a number that is none', { ...ROTATED, SEAL_KEY_NUMBER: 'two' }, 'SEAL_KEY_NUMBER is no whole number'],
		['is replaced and keeps its number', { ...ROTATED, SEAL_KEY_NUMBER: '1' }, 'SEAL_KEY_NUMBER must be 2 or more'],
		[
			'is replaced at no time',
			{ SEAL_KEY: OTHER, SEAL_KEY_NUMBER: '2', SEAL_KEY_PREVIOUS: TEXT },
			'SEAL_KEY_CHANGED_AT is missing',
		],
		['is replaced in two ways', { ...ROTATED, SEAL_KEY_NEXT: TEXT }, 'SEAL_KEY_PREVIOUS must be removed before'],
		['is to be replaced at no time', { SEAL_KEY: OTHER, SEAL_KEY_NEXT: TEXT }, 'SEAL_KEY_CHANGED_AT is missing'],
		[
			'has a malformed successor',
			{ SEAL_KEY: OTHER, SEAL_KEY_NEXT: 'AAAA', SEAL_KEY_CHANGED_AT: '1' },
			'SEAL_KEY_NEXT',
		],
		['leaked and keeps its number', { SEAL_KEY: OTHER, SEAL_KEY_LEAKED: TEXT }, 'SEAL_KEY_NUMBER must be more than'],
		['leaked and is valid beside it', { ...ROTATED, SEAL_KEY_LEAKED: TEXT }, 'SEAL_KEY_LEAKED excludes'],
		['has a malformed predecessor', { ...ROTATED, SEAL_KEY_PREVIOUS: 'AAAA' }, 'SEAL_KEY_PREVIOUS holds 3 bytes'],
	])('that %s is refused; the error names its variable and never shows it', (_, variables: KeyVariables, problem) => {
		expect(() => ringOf(variables)).toThrow(problem);
		for (const value of [TEXT, OTHER]) expect(() => ringOf(variables)).not.toThrow(value);
	});
});

describe('a seal', () => {
	const [before, after] = [ringOf({ SEAL_KEY: TEXT }), ringOf(ROTATED)];

	it('names its key', async () => {
		expect(await seal(before, 'terms')).toMatch(/^1\.[0-9a-f]{64}$/);
		expect(await seal(after, 'terms')).toMatch(/^2\.[0-9a-f]{64}$/);
	});

	it('is made with the older key until the change, and both Workers take either meanwhile', async () => {
		const soon = { SEAL_KEY_NEXT: OTHER, SEAL_KEY_CHANGED_AT: String(Math.floor(Date.now() / 1000) + 60) };
		const told = ringOf({ SEAL_KEY: TEXT, ...soon });
		const sealed = await seal(told, 'terms');
		expect(sealed).toBe(await seal(before, 'terms'));
		expect([isOldSeal(told, sealed), isOldSeal(before, sealed)]).toEqual([false, false]);
		const changed = ringOf({ SEAL_KEY: TEXT, SEAL_KEY_NEXT: OTHER, SEAL_KEY_CHANGED_AT: String(CHANGED / 1000) });
		const newer = await seal(changed, 'terms');
		expect(newer).toBe(await seal(after, 'terms'));
		expect(await sealHolds(told, { text: 'terms', at: Date.now(), sealed: newer })).toBe(true);
		expect(isOldSeal(changed, sealed)).toBe(true);
	});

	it('of the previous key is valid for rows older than the change, and for no newer ones', async () => {
		const sealed = await seal(before, 'terms');
		expect(await sealHolds(after, { text: 'terms', at: CHANGED - 1, sealed })).toBe(true);
		expect(await sealHolds(after, { text: 'terms', at: CHANGED, sealed })).toBe(false);
		expect(await sealHolds(ringOf({ SEAL_KEY: OTHER, SEAL_KEY_NUMBER: '2' }), { text: 'terms', at: 0, sealed })).toBe(
			false,
		);
		expect([isOldSeal(before, sealed), isOldSeal(after, sealed)]).toEqual([false, true]);
	});

	it('is valid only for its own text and number', async () => {
		const sealed = await seal(after, 'terms');
		expect(await sealHolds(after, { text: 'terms', at: Date.now(), sealed })).toBe(true);
		expect(await sealHolds(after, { text: 'other terms', at: 0, sealed })).toBe(false);
		const numbers = [sealed.replace('2.', '1.'), sealed.replace('2.', '3.'), sealed.slice(2)];
		for (const forged of [...numbers, '', `${sealed}0`, `x${sealed}`])
			expect(await sealHolds(after, { text: 'terms', at: 0, sealed: forged })).toBe(false);
	});

	it('of a leaked key is valid for nothing, however old', async () => {
		const sealed = await seal(before, 'terms');
		const leaked = ringOf({ SEAL_KEY: OTHER, SEAL_KEY_NUMBER: '2', SEAL_KEY_LEAKED: TEXT });
		expect(await sealHolds(leaked, { text: 'terms', at: 0, sealed })).toBe(false);
		const [looked] = asIfValid(leaked);
		expect(looked && (await sealHolds(looked, { text: 'terms', at: 0, sealed }))).toBe(true);
	});

	it('names a key of any number', async () => {
		const many = ringOf({ SEAL_KEY: TEXT, SEAL_KEY_NUMBER: '9999' });
		expect(await sealHolds(many, { text: 'terms', at: 0, sealed: await seal(many, 'terms') })).toBe(true);
	});
});

describe('a sealed secret', () => {
	it('opens with its own key, also after a replacement, but not after the key is removed', async () => {
		const before = keyRing({ SECRETS_KEY: TEXT }, 'SECRETS_KEY');
		const replaced = { SECRETS_KEY: OTHER, SECRETS_KEY_NUMBER: '2' };
		const previous = { SECRETS_KEY_PREVIOUS: TEXT, SECRETS_KEY_CHANGED_AT: '1' };
		const after = keyRing({ ...replaced, ...previous }, 'SECRETS_KEY');
		const sealed = await sealSecret(before, 'a secret', 'row 1');
		expect(sealed).toMatch(/^1\./);
		expect(await openSecret(after, sealed, 'row 1')).toBe('a secret');
		await expect(openSecret(after, sealed.slice(2), 'row 1')).rejects.toThrow('names no key');
		await expect(openSecret(after, sealed, 'row 2')).rejects.toThrow();
		await expect(openSecret(keyRing(replaced, 'SECRETS_KEY'), sealed, 'row 1')).rejects.toThrow('key 1 of SECRETS_KEY');
		expect(await sealSecret(after, 'a secret', 'row 1')).toMatch(/^2\./);
	});
});
