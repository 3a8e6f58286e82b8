/** The gate of one partner, inside its Durable Object: what it remembers after a restart, and rotation. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { hmacHex, hmacKey } from '../../src/crypto/hmac.ts';
import { keyRing } from '../../src/crypto/key-ring.ts';
import type { PartnerGate } from '../../src/partners/gate/gate.ts';
import { newSecret, sealIssued, secretsVersion } from '../../src/partners/secrets.ts';
import { findPartner } from '../../src/partners/store.ts';
import { partners } from '../../src/partners/table.ts';
import type { IssuedSecrets, RotationRefusal, SignedCall, Verdict } from '../../src/ports/gates.ts';
import { sign } from '../../src/sdk/sign.ts';
import vectors from '../../src/sdk/vectors.json' with { type: 'json' };
import { bindings, migrate } from './bindings.ts';

const WEIGHT_PER_MINUTE = 100;
const db = drizzle(bindings.DB);
const keys = keyRing(bindings, 'SECRETS_KEY');

beforeAll(migrate);

interface Partner {
	readonly id: string;
	readonly apiSecret: string;
	readonly gate: DurableObjectStub<PartnerGate>;
}

/** `secret`: the apiSecret, where it is not a new one. */
async function newPartner(secret?: string): Promise<Partner> {
	const id = crypto.randomUUID();
	const apiSecret = secret
		? { secret, sealed: await sealIssued(keys, { partnerId: id, name: 'apiSecret', secret, at: 1 }) }
		: await newSecret(keys, id, 'apiSecret');
	const webhookSecret = await newSecret(keys, id, 'webhookSecret');
	await db
		.insert(partners)
		.values({
			id,
			name: 'A partner',
			apiKey: id,
			weightPerMinute: WEIGHT_PER_MINUTE,
			apiSecretSealed: apiSecret.sealed,
			webhookSecretSealed: webhookSecret.sealed,
			createdAt: 0,
			updatedAt: 0,
		});
	return { id, apiSecret: apiSecret.secret, gate: bindings.PARTNER_GATE.getByName(id) };
}

/** Calls in body-only mode, in one trip. */
async function verdictsOf({ id, gate, apiSecret }: Partner, calls: readonly Partial<SignedCall>[]): Promise<Verdict[]> {
	const body = new TextEncoder().encode('{}');
	const signature = await hmacHex(await hmacKey(apiSecret), body);
	const usual = { body, signature, nonce: 'a-nonce-of-a-call', timestamp: null, code: null, weight: 1 };
	return gate.admitAll(
		id,
		calls.map((call) => ({ ...usual, ...call })),
	);
}

async function admit(partner: Partner, nonce: string, weight = 1): Promise<Verdict> {
	const [verdict] = await verdictsOf(partner, [{ nonce, weight }]);
	if (!verdict) throw new Error('no verdict');
	return verdict;
}

/** What became of each call, in their order. */
async function admitAll(partner: Partner, ...calls: Partial<SignedCall>[]): Promise<string[]> {
	const verdicts = await verdictsOf(partner, calls);
	return verdicts.map((verdict) => (verdict.admitted ? 'admitted' : verdict.refusal.kind));
}

async function rotate({ id, gate }: Partner, verifiedBy: string): Promise<string | null> {
	const request = { verifiedBy, names: ['apiSecret'], clientNetworkHash: '', signature: null } as const;
	const answer: IssuedSecrets | RotationRefusal = await gate.rotate(id, request);
	return 'kind' in answer ? null : (answer.apiSecret ?? null);
}

async function recordOf({ id }: Partner) {
	const row = await findPartner(db, id);
	if (!row) throw new Error(`there is no partner ${id}`);
	return row;
}

it('refuses a nonce that was used, also after the object starts again', async () => {
	const partner = await newPartner();
	expect((await admit(partner, 'a-nonce-used-before')).admitted).toBe(true);
	expect(await admit(partner, 'a-nonce-used-before')).toMatchObject({
		admitted: false,
		refusal: { kind: 'nonce-replayed' },
	});
	await evictDurableObject(partner.gate);
	expect(await admit(partner, 'a-nonce-used-before')).toMatchObject({
		admitted: false,
		refusal: { kind: 'nonce-replayed' },
	});
	expect((await admit(partner, 'a-nonce-never-used')).admitted).toBe(true);
});

it('of two calls with one nonce at the same time admits one', async () => {
	const partner = await newPartner();
	const verdicts = await Promise.all(Array.from({ length: 8 }, () => admit(partner, 'a-nonce-used-at-once')));
	expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(1);
});

it('judges each of the calls that come together by itself, in their order', async () => {
	const partner = await newPartner();
	const nonce = 'a-nonce-of-the-first';
	const calls: Partial<SignedCall>[] = [
		{ nonce, weight: 60 },
		{ nonce: 'a-nonce-of-a-forger', signature: '0'.repeat(64), weight: 60 },
		{ nonce, weight: 1 },
		{ nonce: 'a-nonce-of-a-code', code: 'unknown' },
		{ nonce: 'a-nonce-too-heavy', weight: 41 },
		{ nonce: 'a-nonce-that-fits', weight: 40 },
		{ nonce: 'a-nonce-of-the-last', weight: 1 },
	];
	expect(await admitAll(partner, ...calls)).toEqual([
		'admitted',
		'signature-wrong',
		'nonce-replayed',
		'code-refused',
		'budget-exhausted',
		'admitted',
		'budget-exhausted',
	]);
	await evictDurableObject(partner.gate);
	// What was judged by more than its signature has spent its nonce, also after a restart; a forger spends nobody's.
	expect(await admitAll(partner, ...calls.map(({ signature: _, ...call }) => call))).toEqual([
		'nonce-replayed',
		'budget-exhausted',
		'nonce-replayed',
		'nonce-replayed',
		'nonce-replayed',
		'nonce-replayed',
		'nonce-replayed',
	]);
});

it('admits no call of a trip by a secret that was replaced before it was judged', async () => {
	const partner = await newPartner();
	const verifiedBy = await secretsVersion(await recordOf(partner));
	const three = (name: string) => [1, 2, 3].map((i) => ({ nonce: `a-nonce-of-trip-${name}-${i}`, weight: 0 }));
	const trips: Promise<string[]>[] = [];
	let apiSecret: string | null = null;
	rotate(partner, verifiedBy).then((secret) => {
		apiSecret = secret ?? '';
	});
	while (apiSecret === null) {
		trips.push(admitAll(partner, ...three(String(trips.length))));
		await new Promise((passed) => setTimeout(passed, 2));
	}
	// Of one trip all are judged by one secret.
	for (const kinds of await Promise.all(trips)) expect(new Set(kinds).size).toBe(1);
	expect(new Set(await admitAll(partner, ...three('after')))).toEqual(new Set(['signature-wrong']));
	expect(new Set(await admitAll({ ...partner, apiSecret }, ...three('after')))).toEqual(new Set(['admitted']));
});

it('counts the weight that was spent before the object started again', async () => {
	const partner = await newPartner();
	expect((await admit(partner, 'a-nonce-of-the-first', WEIGHT_PER_MINUTE - 1)).admitted).toBe(true);
	await evictDurableObject(partner.gate);
	expect(await admit(partner, 'a-nonce-of-the-second', 2)).toMatchObject({
		admitted: false,
		refusal: { kind: 'budget-exhausted' },
	});
	expect((await admit(partner, 'a-nonce-of-the-third', 1)).admitted).toBe(true);
});

it('of two rotations at the same time one wins, and only its secret works from then on', async () => {
	const partner = await newPartner();
	const verifiedBy = await secretsVersion(await recordOf(partner));
	const issued = await Promise.all([rotate(partner, verifiedBy), rotate(partner, verifiedBy)]);
	const [won, ...others] = issued.filter((secret) => secret !== null);
	expect(others).toEqual([]);
	expect((await admit(partner, 'a-nonce-of-the-old')).admitted).toBe(false);
	expect((await admit({ ...partner, apiSecret: won ?? '' }, 'a-nonce-of-the-new')).admitted).toBe(true);
});

it('carries out one rotation under one signature, also after the object starts again', async () => {
	const partner = await newPartner();
	const signature = '0f'.repeat(32);
	const send = async () => {
		const verifiedBy = await secretsVersion(await recordOf(partner));
		return partner.gate.rotate(partner.id, { verifiedBy, names: ['webhookSecret'], clientNetworkHash: '', signature });
	};
	expect(Object.keys(await send())).toEqual(['webhookSecret']);
	await evictDurableObject(partner.gate);
	const { webhookSecretSealed } = await recordOf(partner);
	expect(await send()).toEqual({ kind: 'rotation-replayed' });
	expect((await recordOf(partner)).webhookSecretSealed).toBe(webhookSecretSealed);
});

it('a rotation that a crash left undecided is undone by the alarm', async () => {
	const partner = await newPartner();
	const before = await recordOf(partner);
	const { sealed } = await newSecret(keys, partner.id, 'apiSecret');
	await runInDurableObject(partner.gate, async (_, { storage }) => {
		const [replaced, replacing] = [before.apiSecretSealed, sealed].map((apiSecretSealed) => ({ apiSecretSealed }));
		storage.kv.put('rotation', { partnerId: partner.id, replaced, replacing });
		await storage.setAlarm(Date.now() + 60_000);
	});
	await bindings.DB.prepare('UPDATE partners SET api_secret_sealed = ? WHERE id = ?').bind(sealed, partner.id).run();
	await evictDurableObject(partner.gate);
	expect(await runDurableObjectAlarm(partner.gate)).toBe(true);
	expect((await recordOf(partner)).apiSecretSealed).toBe(before.apiSecretSealed);
	expect((await admit(partner, 'a-nonce-after-a-crash')).admitted).toBe(true);
	expect(await runDurableObjectAlarm(partner.gate)).toBe(false);
});

afterEach(() => {
	vi.useRealTimers();
	vi.restoreAllMocks();
});

/** Longer than a gate trusts what it has read. */
const A_MINUTE = 61_000;

it('that was not told of a new secret finds it within a minute, though all calls seem forged until then', async () => {
	const partner = await newPartner();
	expect((await admit(partner, 'a-nonce-of-the-old')).admitted).toBe(true);
	const { secret, sealed } = await newSecret(keys, partner.id, 'apiSecret');
	await bindings.DB.prepare('UPDATE partners SET api_secret_sealed = ? WHERE id = ?').bind(sealed, partner.id).run();
	const now = { ...partner, apiSecret: secret };
	expect((await admit(now, 'a-nonce-of-the-new')).admitted).toBe(false);
	vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + A_MINUTE });
	expect((await admit(now, 'a-nonce-of-the-new')).admitted).toBe(false);
	await vi.waitFor(async () => expect((await admit(now, 'a-nonce-of-the-new')).admitted).toBe(true));
	expect((await admit(partner, 'a-nonce-of-the-thief')).admitted).toBe(false);
});

it.each(['works', 'fails'])('reads D1 once a minute, however many calls are forged, where that %s', async (how) => {
	const partner = await newPartner();
	const forge = () => admit({ ...partner, apiSecret: 'A'.repeat(43) }, 'a-nonce-of-a-forger');
	await forge();
	const reads = await runInDurableObject(partner.gate, (object) => {
		const { DB } = (object as unknown as { env: typeof bindings }).env;
		const batch = vi.spyOn(DB, 'batch');
		return how === 'fails' ? batch.mockRejectedValue(new Error('D1 is away')) : batch;
	});
	vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
	for (const minutes of [1, 2, 3]) {
		vi.setSystemTime(Date.now() + A_MINUTE);
		for (let i = 0; i < 20; i++) await forge();
		expect(reads).toHaveBeenCalledTimes(minutes);
	}
});

it.each(vectors.requests)(
	'admits the signing vector “$name” at its time, and nothing that differs from it',
	async (vector) => {
		const { apiSecret, nonce, timestamp, body, signature } = vector;
		vi.useFakeTimers({ toFake: ['Date'], now: Number(vectors.requests[0]?.timestamp) * 1000 });
		const { id, gate } = await newPartner(apiSecret);
		const call = { body: new TextEncoder().encode(body), signature, nonce, timestamp, code: null, weight: 1 };
		const refusalOf = async (changed: Partial<typeof call>) => {
			const [verdict] = await gate.admitAll(id, [{ ...call, ...changed }]);
			return verdict?.admitted ? null : verdict?.refusal.kind;
		};
		const longer = new TextEncoder().encode(`${body}\n`);
		expect(await refusalOf({ body: longer })).toBe('signature-wrong');
		if (timestamp !== null) expect(await refusalOf({ nonce: `${nonce}0` })).toBe('signature-wrong');
		expect(await refusalOf({ timestamp: timestamp === null ? '1795176000' : null })).toBe('signature-wrong');
		expect(await refusalOf({})).toBeNull();
		expect(await refusalOf({})).toBe('nonce-replayed');
		// The library makes the same signature in this runtime.
		expect(await sign(apiSecret, { body, nonce, timestamp })).toBe(signature);
	},
);
