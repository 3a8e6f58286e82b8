/**
 * What a call is asked before its partner's gate is: which headers it has, whose apiKey it names, and who pays for it
 * (book: contract, "Signed calls", "Weight"). Also how digests are compared.
 */
import { timingSafeEqual } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { sameDigest, sha256Hex } from '../../src/crypto/tokens.ts';
import type { Body } from '../../src/http/body.ts';
import { apiKeyKeys, newApiKey, newScopedApiKey } from '../../src/partners/api-key.ts';
import { admit, type Gates, isSigned } from '../../src/partners/gate/admission.ts';
import type { AnonymousCall, SignedCall, Verdict } from '../../src/ports/gates.ts';

// workerd has it on `crypto.subtle`, Node in a module of its own.
const compare = vi.fn(timingSafeEqual);
Object.assign(crypto.subtle, { timingSafeEqual: compare });
afterEach(() => compare.mockClear());

const keys = keyRing({ API_KEY_KEY: 'A'.repeat(43) }, 'API_KEY_KEY');
const checksumKeys = await apiKeyKeys(keys);
const CREATE = { path: '/api/v1/create', auth: 'required', weight: 50, admits: ['app'] } as const;

/** Null: it was too large to be read. */
const read = async (bytes: Uint8Array | null): Promise<Body> =>
	bytes ? { bytes, refusal: null } : { bytes, refusal: { kind: 'body-too-large' } };

const admitted = (apiKey: string, getByName: () => never) => {
	const headers = { 'x-api-key': apiKey, 'x-api-sign': '0'.repeat(64), 'x-api-nonce': 'n'.repeat(16) };
	const gates = { apiKeyKeys: checksumKeys, partners: { idFromName: getByName } } as unknown as Gates;
	return admit(gates, CREATE, new Headers(headers), read(new Uint8Array()));
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

const PRICE = { path: '/api/v1/price', auth: 'optional', weight: 1, admits: ['app'] } as const;
const NONCE = 'n'.repeat(16);
const SIGNATURE = '0f'.repeat(32);
const ADDRESS = { 'cf-connecting-ip': '192.0.2.1' };
const partner = { id: 'a partner', defaultAfftaxBps: 0, referenceCode: null, secretsVersion: 'these' };
const exhausted = { kind: 'anonymous-budget-exhausted', retryAfterSeconds: 7 };
const { apiKey, id } = await newApiKey(keys);

/** Gates that answer as told, and what they were asked. */
function gatesOf(verdict: Verdict, wait: number | null) {
	const asked = {
		objects: [] as unknown[],
		named: [] as string[],
		calls: [] as [string, SignedCall][],
		anonymous: [] as unknown[],
	};
	const gates = {
		apiKeyKeys: checksumKeys,
		REGION: 'weur',
		readSecret: async () => null,
		partners: {
			idFromName: (name: string) => asked.named.push(name) && { name },
			get: (...object: unknown[]) => {
				asked.objects.push(object);
				return {
					admitAll: async (partnerId: string, calls: readonly SignedCall[]) =>
						calls.map((call) => asked.calls.push([partnerId, call]) && verdict),
				};
			},
		},
		anonymous: {
			getByName: (name: string) => ({
				admitAll: async (calls: readonly AnonymousCall[]) =>
					calls.map((call) => asked.anonymous.push([name, call]) && wait),
			}),
		},
		background: () => undefined,
	};
	return { gates: gates as unknown as Gates, asked };
}

interface Called {
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: Uint8Array | null;
	readonly endpoint?: Parameters<typeof admit>[1];
	readonly verdict?: Verdict;
	/** Seconds that an anonymous caller has to wait. */
	readonly wait?: number | null;
}

async function called({ headers = {}, body = new Uint8Array(), endpoint = CREATE, ...given }: Called) {
	const { gates, asked } = gatesOf(given.verdict ?? { admitted: true, partner }, given.wait ?? null);
	return { answer: await admit(gates, endpoint, new Headers({ ...ADDRESS, ...headers }), read(body)), ...asked };
}

const signed = (more: Readonly<Record<string, string>> = {}) => ({
	'x-api-key': apiKey,
	'x-api-sign': SIGNATURE,
	'x-api-nonce': NONCE,
	...more,
});

describe('an anonymous call', () => {
	it('is admitted where that is allowed, and counted for its network and endpoint', async () => {
		expect(await called({ endpoint: PRICE })).toMatchObject({
			answer: null,
			anonymous: [['/api/v1/price 192.0.0.0/16', { network: '192.0.2.0/24' }]],
		});
	});

	it('is decided while its body is still on the way', async () => {
		const { gates } = gatesOf({ admitted: true, partner }, null);
		const never = new Promise<Body>(() => undefined);
		expect(await admit(gates, PRICE, new Headers(ADDRESS), never)).toBeNull();
	});

	it('waits where its network has called too often', async () => {
		expect((await called({ endpoint: PRICE, wait: 7 })).answer).toEqual(exhausted);
	});

	it.each([
		['neither header', {}, CREATE, 'auth-header-missing'],
		['only an apiKey', { 'x-api-key': apiKey }, CREATE, 'auth-header-missing'],
		['only a signature', { 'x-api-sign': SIGNATURE }, CREATE, 'auth-header-missing'],
		['only an apiKey where anonymous calls are allowed', { 'x-api-key': apiKey }, PRICE, 'one-auth-header'],
		['only a signature where anonymous calls are allowed', { 'x-api-sign': SIGNATURE }, PRICE, 'one-auth-header'],
	] as const)('with %s is refused', async (_, headers, endpoint, kind) => {
		expect(await called({ headers, endpoint })).toMatchObject({ answer: { kind }, anonymous: [], calls: [] });
	});

	it('has not both headers of a signed one', () => {
		const has = (headers: Record<string, string>) => isSigned(new Headers(headers));
		expect(has({ 'x-api-key': '', 'x-api-sign': '' })).toBe(true);
		expect([has({ 'x-api-key': 'a' }), has({ 'x-api-sign': 'a' }), has({})]).toEqual([false, false, false]);
	});
});

describe('a signed call', () => {
	it('is decided by the gate of its partner, near the database', async () => {
		const body = new TextEncoder().encode('{"a":1}');
		const headers = signed({ 'x-api-key': `${apiKey}.blog`, 'x-api-timestamp': '1790000000' });
		const call = { body, signature: SIGNATURE, nonce: NONCE, timestamp: '1790000000', code: 'blog', weight: 50 };
		expect(await called({ headers, body })).toMatchObject({
			answer: partner,
			calls: [[id, call]],
			anonymous: [],
			objects: [[{ name: id }, { locationHint: 'weur' }]],
		});
	});

	it('without code and timestamp says so', async () => {
		expect((await called({ headers: signed() })).calls).toMatchObject([[id, { code: null, timestamp: null }]]);
	});

	it('is refused for the reason that the gate gives', async () => {
		const verdict = { admitted: false, refusal: { kind: 'nonce-replayed' } } as const;
		for (let i = 0; i < 20; i++) {
			expect((await called({ headers: signed(), verdict })).answer).toEqual({ kind: 'nonce-replayed' });
		}
		expect((await called({ headers: signed() })).answer).toEqual(partner);
	});

	it('whose body could not be read is never carried out, and spends an anonymous call', async () => {
		expect(await called({ headers: signed(), body: null })).toMatchObject({
			answer: null,
			calls: [],
			anonymous: [['/api/v1/create 192.0.0.0/16', { network: '192.0.2.0/24' }]],
		});
		expect((await called({ headers: signed(), body: null, wait: 7 })).answer).toEqual(exhausted);
	});

	it.each([
		['a signature in capitals', { 'x-api-sign': 'F'.repeat(64) }, 'signature-malformed'],
		['a signature that is too short', { 'x-api-sign': 'f'.repeat(63) }, 'signature-malformed'],
		['a signature that is too long', { 'x-api-sign': 'f'.repeat(65) }, 'signature-malformed'],
		['a signature with more in front', { 'x-api-sign': `x${SIGNATURE}` }, 'signature-malformed'],
		['a nonce of 15 characters', { 'x-api-nonce': 'n'.repeat(15) }, 'nonce-malformed'],
		['a nonce of 65 characters', { 'x-api-nonce': 'n'.repeat(65) }, 'nonce-malformed'],
		['a nonce with a space', { 'x-api-nonce': `${NONCE} ${NONCE}` }, 'nonce-malformed'],
		['an empty nonce', { 'x-api-nonce': '' }, 'nonce-malformed'],
		['a timestamp with a fraction', { 'x-api-timestamp': '1790000000.5' }, 'timestamp-malformed'],
		['a negative timestamp', { 'x-api-timestamp': '-1790000000' }, 'timestamp-malformed'],
		['a timestamp of 16 digits', { 'x-api-timestamp': '1'.repeat(16) }, 'timestamp-malformed'],
		['an empty timestamp', { 'x-api-timestamp': '' }, 'timestamp-malformed'],
		['a code of three characters', { 'x-api-key': `${apiKey}.abc` }, 'code-malformed'],
		['an empty code', { 'x-api-key': `${apiKey}.` }, 'code-malformed'],
		['an apiKey that is only a code', { 'x-api-key': '.blog' }, 'api-key-unknown'],
		['an apiKey that is only a malformed code', { 'x-api-key': '.abc' }, 'code-malformed'],
		['an unknown apiKey with a code', { 'x-api-key': 'pk_other.blog' }, 'api-key-unknown'],
	])('with %s is refused before any gate is asked', async (_, headers, kind) => {
		expect(await called({ headers: signed(headers) })).toMatchObject({ answer: { kind }, calls: [], anonymous: [] });
	});

	it('without a nonce is refused before any gate is asked', async () => {
		const headers = { 'x-api-key': apiKey, 'x-api-sign': SIGNATURE };
		expect(await called({ headers })).toMatchObject({ answer: { kind: 'nonce-malformed' }, calls: [] });
	});

	it.each([
		['a nonce of 64 characters', { 'x-api-nonce': '~'.repeat(64) }],
		['a timestamp of 15 digits', { 'x-api-timestamp': '1'.repeat(15) }],
		['a timestamp of one digit', { 'x-api-timestamp': '1' }],
	])('with %s reaches the gate', async (_, headers) => {
		expect((await called({ headers: signed(headers) })).calls).toHaveLength(1);
	});

	it('with several faults is refused for the first: signature, nonce, timestamp, code, apiKey', async () => {
		const faults = [
			['x-api-sign', 'x', 'signature-malformed'],
			['x-api-nonce', 'x', 'nonce-malformed'],
			['x-api-timestamp', 'x', 'timestamp-malformed'],
			['x-api-key', 'pk_other.x', 'code-malformed'],
			['x-api-key', 'pk_other', 'api-key-unknown'],
		] as const;
		for (const [i, [, , kind]] of faults.entries()) {
			const wrong = faults.slice(i).toReversed();
			const headers = Object.fromEntries(wrong.map(([name, value]) => [name, value]));
			expect((await called({ headers: signed(headers) })).answer).toEqual({ kind });
		}
	});
});

describe('a call that the contract does not have', () => {
	const KEYS_ADDED = { ...CREATE, path: '/api/v1/keys', isAddition: true } as const;

	it('is signed in timestamp mode alone', async () => {
		const now = signed({ 'x-api-timestamp': '1790000000' });
		expect(await called({ headers: signed(), endpoint: KEYS_ADDED })).toMatchObject({
			answer: { kind: 'timestamp-required' },
			calls: [],
		});
		expect((await called({ headers: now, endpoint: KEYS_ADDED })).answer).toEqual(partner);
	});

	it('hears of its nonce before that, and of its code after', async () => {
		const kindOf = async (wrong: Readonly<Record<string, string>>) =>
			(await called({ headers: signed(wrong), endpoint: KEYS_ADDED })).answer;
		expect(await kindOf({ 'x-api-nonce': 'x' })).toEqual({ kind: 'nonce-malformed' });
		expect(await kindOf({ 'x-api-key': `${apiKey}.x` })).toEqual({ kind: 'timestamp-required' });
	});
});

describe('a call under a scoped key', async () => {
	const scoped = await newScopedApiKey(keys, id);
	const under = (apiKeyOfCall: string, more: Readonly<Record<string, string>> = {}) =>
		signed({ 'x-api-key': apiKeyOfCall, 'x-api-timestamp': '1790000000', ...more });
	const waitFor = (retryAfterSeconds: number): Verdict => ({
		admitted: false,
		refusal: { kind: 'budget-exhausted', retryAfterSeconds, budget: { limit: 100, remaining: 0 } },
	});

	it('names the key, the kinds that may make it, and the caller’s address to the partner’s own gate', async () => {
		expect(await called({ headers: under(scoped.apiKey) })).toMatchObject({
			answer: partner,
			calls: [[id, { key: { id: scoped.id, admits: ['app'], address: '192.0.2.1' } }]],
			objects: [[{ name: id }, { locationHint: 'weur' }]],
		});
		const { calls } = await called({ headers: signed() });
		expect(calls[0]?.[1].key).toBeUndefined();
	});

	it('is signed in timestamp mode alone', async () => {
		const headers = signed({ 'x-api-key': scoped.apiKey });
		expect(await called({ headers })).toMatchObject({ answer: { kind: 'timestamp-required' }, calls: [] });
	});

	it('that has to wait does not reach the gate again until then, and no other weight or key waits for it', async () => {
		const waiting = await newScopedApiKey(keys, id);
		const verdict = waitFor(30);
		expect(await called({ headers: under(waiting.apiKey), verdict })).toMatchObject({ calls: [[id, {}]] });
		expect(await called({ headers: under(waiting.apiKey) })).toMatchObject({
			answer: { kind: 'budget-exhausted', retryAfterSeconds: 30, budget: { limit: 100, remaining: 0 } },
			calls: [],
		});
		expect((await called({ headers: under(waiting.apiKey), endpoint: PRICE })).answer).toEqual(partner);
		expect((await called({ headers: under(scoped.apiKey) })).answer).toEqual(partner);
		expect((await called({ headers: signed() })).answer).toEqual(partner);
	});

	it('is asked of the gate again if it was refused for another reason, or the first key has to wait', async () => {
		const other = await newScopedApiKey(keys, id);
		const expired = { admitted: false, refusal: { kind: 'key-expired' } } as const;
		expect((await called({ headers: under(other.apiKey), verdict: expired })).calls).toHaveLength(1);
		expect((await called({ headers: under(other.apiKey) })).answer).toEqual(partner);
		expect((await called({ headers: signed(), verdict: waitFor(30) })).calls).toHaveLength(1);
		expect((await called({ headers: signed() })).answer).toEqual(partner);
		expect((await called({ headers: under(other.apiKey) })).answer).toEqual(partner);
	});

	it('is guarded by itself where many are forged under it, or it is refused without end', async () => {
		const verdicts = ['signature-wrong', 'key-refused'].map(
			(kind) => ({ admitted: false, refusal: { kind } }) as Verdict,
		);
		for (const verdict of verdicts) {
			const forged = await newScopedApiKey(keys, id);
			for (let i = 0; i < 20; i++) await called({ headers: under(forged.apiKey), verdict });
			expect(await called({ headers: under(forged.apiKey) })).toMatchObject({
				answer: { kind: 'signature-wrong-in-flood' },
				calls: [],
			});
		}
		expect((await called({ headers: under(scoped.apiKey) })).answer).toEqual(partner);
		expect((await called({ headers: signed() })).answer).toEqual(partner);
	});
});

describe('an apiKey', () => {
	it('is checked once and then remembered, until a thousand others were', async () => {
		const others = await Promise.all(Array.from({ length: 1_000 }, () => newApiKey(keys)));
		const { gates, asked } = gatesOf({ admitted: true, partner }, null);
		const call = (key: string) =>
			admit(gates, CREATE, new Headers(signed({ 'x-api-key': key })), read(new Uint8Array()));
		const [first, ...rest] = others.map((other) => other.apiKey);
		for (const key of [first, first, ...rest, first]) await call(key ?? '');
		expect(asked.named).toHaveLength(1_000);
		await call((await newApiKey(keys)).apiKey);
		await call(rest.at(-1) ?? '');
		expect(asked.named).toHaveLength(1_001);
		await call(first ?? '');
		expect(asked.named).toHaveLength(1_002);
		expect(asked.named.at(-1)).toBe(others[0]?.id);
	});

	it('under which many calls are forged is guarded: wrong signatures no longer reach the gate', async () => {
		const flooded = await newApiKey(keys);
		const headers = signed({ 'x-api-key': flooded.apiKey });
		const verdict = { admitted: false, refusal: { kind: 'signature-wrong' } } as const;
		for (let i = 0; i < 20; i++) {
			expect((await called({ headers, verdict })).answer).toEqual({ kind: 'signature-wrong' });
		}
		const guarded = await called({ headers, verdict });
		expect(guarded).toMatchObject({ answer: { kind: 'signature-wrong-in-flood' }, calls: [] });
		expect((await called({ headers: signed() })).answer).toEqual(partner);
	});
});

it('calls that wait for one gate share a trip, and a call by itself goes alone', async () => {
	const own = await newApiKey(keys);
	const trips: string[][] = [];
	const carried: Promise<unknown>[] = [];
	const verdictOf = ({ nonce }: SignedCall): Verdict => ({ admitted: true, partner: { ...partner, id: nonce } });
	const trip = async (calls: readonly SignedCall[]) => {
		trips.push(calls.map(({ nonce }) => nonce));
		await new Promise((back) => setTimeout(back, 5));
		return calls.map(verdictOf);
	};
	const gate = { admitAll: (_: string, calls: readonly SignedCall[]) => trip(calls) };
	const gates = {
		apiKeyKeys: checksumKeys,
		readSecret: async () => null,
		partners: { idFromName: (name: string) => name, get: () => gate },
		background: (work: Promise<unknown>) => carried.push(work),
	} as unknown as Gates;
	const call = (letter: string) => {
		const headers = { 'x-api-key': own.apiKey, 'x-api-sign': SIGNATURE, 'x-api-nonce': letter.repeat(16) };
		return admit(gates, CREATE, new Headers(headers), read(new Uint8Array()));
	};
	const nonces = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(16));
	expect(await call('a')).toMatchObject({ id: nonces[0] });
	expect(carried).toHaveLength(1);
	const answers = await Promise.all(['b', 'c', 'd'].map(call));
	expect(answers).toMatchObject(nonces.slice(1).map((nonce) => ({ id: nonce })));
	expect(trips).toEqual([[nonces[0]], [nonces[1]], [nonces[2], nonces[3]]]);
	expect(carried).toHaveLength(3);
});
