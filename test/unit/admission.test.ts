/**
 * What a signed call costs before its partner is known, and how digests are compared (book: contract, "Signed calls").
 */

import { timingSafeEqual } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { sameDigest, sha256Hex } from '../../src/crypto/tokens.ts';
import { apiKeyKeys, newApiKey } from '../../src/partners/api-key.ts';
import { admit, type Gates } from '../../src/partners/gate/admission.ts';

// workerd has it on `crypto.subtle`, Node in a module of its own.
const compare = vi.fn(timingSafeEqual);
Object.assign(crypto.subtle, { timingSafeEqual: compare });
afterEach(() => compare.mockClear());

const keys = keyRing({ API_KEY_KEY: 'A'.repeat(43) }, 'API_KEY_KEY');
const checksumKeys = await apiKeyKeys(keys);
const CREATE = { path: '/api/v1/create', auth: 'required', weight: 50 } as const;

const admitted = (apiKey: string, getByName: () => never) => {
	const headers = { 'x-api-key': apiKey, 'x-api-sign': '0'.repeat(64), 'x-api-nonce': 'n'.repeat(16) };
	const gates = { apiKeyKeys: checksumKeys, partners: { idFromName: getByName } } as unknown as Gates;
	return admit(gates, CREATE, new Headers(headers), new Uint8Array());
};

it('a random or mistyped apiKey is refused before any storage is read', async () => {
	const gate = vi.fn((): never => {
		throw new Error('the gate was asked');
	});
	const { apiKey } = await newApiKey(keys);
	const stranger = await newApiKey(keyRing({ API_KEY_KEY: `${'E'.repeat(42)}A` }, 'API_KEY_KEY'));
	const mistyped = `${apiKey.slice(0, 8)}${apiKey[8] === 'x' ? 'y' : 'x'}${apiKey.slice(9)}`;
	for (const wrong of [mistyped, stranger.apiKey, 'pk_', `${apiKey}A`, '']) {
		expect(await admitted(wrong, gate)).toMatchObject({
			kind: wrong === '' ? 'auth-header-missing' : 'api-key-unknown',
		});
	}
	expect(gate).not.toHaveBeenCalled();
	await expect(admitted(apiKey, gate)).rejects.toThrow('the gate was asked');
});

it('a token is verified against a stored hash with a constant-time compare', async () => {
	const [stored, other] = [await sha256Hex('token'), await sha256Hex('tokem')];
	expect([sameDigest(stored, stored), sameDigest(stored, other)]).toEqual([true, false]);
	expect(compare).toHaveBeenCalledTimes(2);
});
