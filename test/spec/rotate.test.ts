/** Secret rotation (book: contract, "POST /api/v1/keys/rotate", "Rotation"). */
import { describe, expect, it } from 'vitest';
import type { SecretName } from '../../src/partners/partner.ts';
import type { RotationRefusal, RotationRequest, SignedCall, Verdict } from '../../src/ports/gates.ts';
import { hmac } from '../cast/signing.ts';
import { create } from '../support/orders.ts';
import { type Answer, type Bend, type Credentials, createPartner, newNonce, signed } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';
import { contentsOf } from '../support/state-folder.ts';
import { startWebhookReceiver, verify } from '../support/webhook-receiver.ts';

const service = sharedService();
const INVALID_REQUEST = '{"code":1,"msg":"INVALID_REQUEST"}';
const AUTH_INVALID = '{"code":3,"msg":"AUTH_INVALID"}';
const ROTATION_CONFLICT = '{"code":14,"msg":"ROTATION_CONFLICT"}';
const SECRET = /^[A-Za-z0-9_-]{43}$/;

type Issued = Partial<Record<SecretName, string>>;

/** Every secret issued in this file, for the search in the last test. */
const given = new Set<string>();

async function newPartner(more: Record<string, unknown> = {}): Promise<Credentials> {
	const partner = await createPartner(service.current(), more);
	given.add(partner.apiSecret).add(partner.webhookSecret);
	return partner;
}

async function send(by: Credentials, body: unknown, bend: Bend = {}): Promise<Answer<Issued>> {
	const answer = await signed<Issued>(service.current(), by, '/api/v1/keys/rotate', body, bend);
	for (const secret of Object.values(answer.data ?? {})) given.add(secret);
	return answer;
}

const rotate = (by: Credentials, rotate: unknown, bend?: Bend) => send(by, { rotate }, bend);
const list = (by: Credentials, bend: Bend = {}) =>
	signed(service.current(), by, '/api/v1/codes', '', { method: 'GET', ...bend });

interface Gate {
	admitAll(partnerId: string, calls: readonly SignedCall[]): Promise<Verdict[]>;
	rotate(partnerId: string, request: RotationRequest): Promise<Issued | RotationRefusal>;
}

/** A rotate call that the partner's gate has admitted but not yet executed. */
async function admitted(partner: Credentials) {
	const gate = service.current().object<Gate>('PARTNER_GATE', partner.id);
	const nonce = newNonce();
	const signature = hmac(partner.apiSecret, '{}');
	const body = new TextEncoder().encode('{}');
	const call = { body, signature, nonce, timestamp: null, code: null, weight: 1 };
	const [verdict] = await gate.admitAll(partner.id, [call]);
	if (!verdict?.admitted) throw new Error(verdict?.refusal.kind);
	const verifiedBy = verdict.partner.secretsVersion;
	const rotate = async (names: SecretName[]): Promise<Issued | null> => {
		const request = { verifiedBy, names, clientNetworkHash: '', signature: null };
		const answer = await gate.rotate(partner.id, request);
		if (!('kind' in answer)) return answer;
		expect(answer.kind).toBe('rotation-conflict');
		return null;
	};
	return { nonce, rotate };
}

function expectAnswer(answer: Answer<unknown>, status: number, text: string): void {
	expect(answer.text).toBe(text);
	expect(answer.status).toBe(status);
}

const auditOf = (partner: Credentials) =>
	service
		.current()
		.sql<{ changes: string }>(
			"SELECT changes FROM audit_log WHERE subject = ? AND command = 'keys/rotate' ORDER BY at, rowid",
			partner.id,
		);

describe('POST /api/v1/keys/rotate', () => {
	it.each<[string, SecretName[]]>([
		['apiSecret', ['apiSecret']],
		['webhookSecret', ['webhookSecret']],
		['both', ['apiSecret', 'webhookSecret']],
	])('%s: data holds the newly issued secrets, present for those rotated', async (_, names) => {
		const partner = await newPartner();
		const { status, data } = await rotate(partner, names);
		expect(status).toBe(200);
		expect(Object.keys(data).toSorted()).toEqual(names);
		for (const name of names) {
			expect(data[name]).toMatch(SECRET);
			expect(data[name]).not.toBe(partner[name]);
		}
		expect((await list({ ...partner, ...data })).code).toBe(0);
	});

	it('repeated elements count once', async () => {
		const partner = await newPartner();
		const { text, data } = await rotate(partner, ['webhookSecret', 'apiSecret', 'webhookSecret', 'apiSecret']);
		expect(Object.keys(data).toSorted()).toEqual(['apiSecret', 'webhookSecret']);
		for (const secret of Object.values(data)) expect(text.split(secret)).toHaveLength(2);
		expect(await auditOf(partner)).toHaveLength(1);
	});

	it.each([
		'{"rotate":[]}',
		'{"rotate":"apiSecret"}',
		'{"rotate":{"0":"apiSecret"}}',
		'{"rotate":null}',
		'{"rotate":true}',
		'{"rotate":["apiKey"]}',
		'{"rotate":["apisecret"]}',
		'{"rotate":["apiSecret","other"]}',
		'{"rotate":["apiSecret",null]}',
		'{"rotate":[["apiSecret"]]}',
		'{"rotate":["__proto__"]}',
		'{}',
		'[]',
		'',
		'x',
	])('%s → 1, and nothing is rotated', async (body) => {
		const partner = await newPartner();
		expectAnswer(await send(partner, body), 400, INVALID_REQUEST);
		expect((await list(partner)).code).toBe(0);
		expect(await auditOf(partner)).toEqual([]);
	});

	it('on success the old value is invalid immediately, in both modes, and the new one works', async () => {
		let partner = await newPartner();
		for (let i = 0; i < 10; i++) {
			const { data } = await rotate(partner, ['apiSecret']);
			const [oldOne, newOne] = await Promise.all([list(partner), list({ ...partner, ...data })]);
			expectAnswer(oldOne, 401, AUTH_INVALID);
			expect(newOne.code).toBe(0);
			expectAnswer(await list(partner, { mode: 'body-only' }), 401, AUTH_INVALID);
			expectAnswer(await rotate(partner, ['apiSecret']), 401, AUTH_INVALID);
			partner = { ...partner, ...data };
		}
	});

	it('is signed with the current apiSecret: the webhookSecret or another partner’s is refused', async () => {
		const [partner, other] = [await newPartner(), await newPartner()];
		for (const apiSecret of [partner.webhookSecret, other.apiSecret]) {
			expectAnswer(await rotate(partner, ['apiSecret'], { apiSecret }), 401, AUTH_INVALID);
		}
		expect((await list(partner)).code).toBe(0);
	});

	it('of the webhookSecret alone leaves the apiSecret as it is', async () => {
		const partner = await newPartner();
		for (let i = 0; i < 3; i++) expect((await rotate(partner, ['webhookSecret'])).code).toBe(0);
		expect((await list(partner)).code).toBe(0);
	});

	it('survives: the record has the answered secrets, also after the gate restarts', async () => {
		const partner = await newPartner();
		const { data } = await rotate(partner, ['apiSecret', 'webhookSecret']);
		// The gate reads the record again.
		await service.current().operator('partner/update', { id: partner.id, name: 'Renamed' });
		expect((await list(partner)).code).toBe(3);
		expect((await list({ ...partner, ...data })).code).toBe(0);
	});

	it('and replacement by the operator may follow each other', async () => {
		const partner = await newPartner();
		const { data: first } = await rotate(partner, ['apiSecret']);
		const second = await service
			.current()
			.operator<{ apiSecret: string }>('partner/replace-secret', { id: partner.id, secret: 'apiSecret' });
		given.add(second.apiSecret);
		expectAnswer(await rotate({ ...partner, ...first }, ['apiSecret']), 401, AUTH_INVALID);
		const third = await rotate({ ...partner, apiSecret: second.apiSecret }, ['apiSecret']);
		expect(third.code).toBe(0);
		expect((await list({ ...partner, ...third.data })).code).toBe(0);
	});

	it('costs weight 1, refused or not; a disabled partner gets 4', async () => {
		const partner = await newPartner({ weightPerMinute: 2 });
		expect((await rotate(partner, [])).code).toBe(1);
		expect((await rotate(partner, ['webhookSecret'])).code).toBe(0);
		expect((await rotate(partner, ['webhookSecret'])).code).toBe(5);
		await service.current().operator('partner/update', { id: partner.id, enabled: false });
		expect((await rotate(partner, ['webhookSecret'])).code).toBe(4);
	});

	it('spends its nonce when refused with 1, but not when refused with 3', async () => {
		const partner = await newPartner();
		const nonce = newNonce();
		expectAnswer(await rotate(partner, ['apiSecret'], { nonce, apiSecret: 'x'.repeat(43) }), 401, AUTH_INVALID);
		expectAnswer(await rotate(partner, [], { nonce }), 400, INVALID_REQUEST);
		expectAnswer(await rotate(partner, ['apiSecret'], { nonce }), 401, AUTH_INVALID);
		const { data } = await rotate(partner, ['apiSecret']);
		// Nonces from before stay spent under the new secret.
		expectAnswer(await list({ ...partner, ...data }, { nonce }), 401, AUTH_INVALID);
	});
});

describe('one signed rotation', () => {
	it.each<[string, SecretName[]]>([
		['webhookSecret', ['webhookSecret']],
		['both', ['apiSecret', 'webhookSecret']],
	])(
		'of %s in body-only mode is carried out once: sent again under a new nonce → 3, whatever happened since',
		async (_, names) => {
			const partner = await newPartner();
			const body = JSON.stringify({ rotate: names });
			const seen = { mode: 'body-only' } as const;
			const { data } = await send(partner, body, seen);
			expect(Object.keys(data).toSorted()).toEqual(names);
			expectAnswer(await send(partner, body, seen), 401, AUTH_INVALID);
			const now = { ...partner, ...data };
			if (!names.includes('apiSecret')) {
				// Other bytes have another signature, and the partner's own rotations go on.
				expect((await send(now, `${body} `, seen)).code).toBe(0);
				expect((await rotate(now, ['webhookSecret'])).code).toBe(0);
				expectAnswer(await send(now, body, seen), 401, AUTH_INVALID);
			}
			expect((await list(now)).code).toBe(0);
		},
	);

	it('that failed was not carried out: the same bytes rotate once the database is back', async () => {
		const partner = await newPartner();
		await service
			.current()
			.sql('CREATE TRIGGER no_rotation BEFORE UPDATE ON partners BEGIN SELECT RAISE(ABORT, 0); END');
		const body = '{"rotate":["webhookSecret"]}';
		expect((await send(partner, body, { mode: 'body-only' })).code).toBe(99);
		await service.current().sql('DROP TRIGGER no_rotation');
		expect((await send(partner, body, { mode: 'body-only' })).code).toBe(0);
		expectAnswer(await send(partner, body, { mode: 'body-only' }), 401, AUTH_INVALID);
	});

	it('in timestamp mode is carried out once: the same call within its time → 3', async () => {
		const partner = await newPartner();
		const call = { nonce: newNonce(), timestamp: String(Math.floor(Date.now() / 1000)) };
		expect((await rotate(partner, ['webhookSecret'], call)).code).toBe(0);
		expectAnswer(await rotate(partner, ['webhookSecret'], call), 401, AUTH_INVALID);
	});
});

describe('concurrent rotations', () => {
	it.each<[string, SecretName[]]>([
		['apiSecret', ['apiSecret']],
		['both', ['apiSecret', 'webhookSecret']],
	])('20 of %s: one winner, the losers 14 or 3, the winner’s secret works', async (_, names) => {
		const partner = await newPartner();
		for (let round = 0, current = partner; round < 3; round++) {
			const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(current, names)));
			const winners = answers.filter(({ code }) => code === 0);
			expect(winners).toHaveLength(1);
			for (const answer of answers.filter(({ code }) => code === 14)) expectAnswer(answer, 409, ROTATION_CONFLICT);
			for (const answer of answers.filter(({ code }) => code === 3)) expectAnswer(answer, 401, AUTH_INVALID);
			expect(answers.filter(({ code }) => ![0, 3, 14].includes(code))).toEqual([]);
			expect((await list(current)).code).toBe(3);
			current = { ...current, ...winners[0]?.data };
			expect((await list(current)).code).toBe(0);
		}
		expect(await auditOf(partner)).toHaveLength(3);
	});

	it('of the webhookSecret, which leaves the signature valid: each secret is issued to one call only', async () => {
		const partner = await newPartner();
		const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(partner, ['webhookSecret'])));
		const won = answers.filter(({ code }) => code === 0);
		expect(answers.filter(({ code }) => code !== 0 && code !== 14)).toEqual([]);
		expect(won.length).toBeGreaterThanOrEqual(1);
		expect(won.length).toBeLessThan(20);
		expect(new Set(won.map(({ data }) => data.webhookSecret)).size).toBe(won.length);
		expect(await auditOf(partner)).toHaveLength(won.length);
	});

	it('those verified before one of them won get 14, later ones 3; only the latter spent no nonce', async () => {
		const partner = await newPartner();
		const [first, second] = [await admitted(partner), await admitted(partner)];
		const won = await first.rotate(['apiSecret', 'webhookSecret']);
		for (const secret of Object.values(won ?? {})) given.add(secret);
		expect(won?.apiSecret).toMatch(SECRET);
		expect(await second.rotate(['apiSecret'])).toBeNull();
		expect(await second.rotate(['webhookSecret'])).toBeNull();
		expectAnswer(await rotate(partner, ['apiSecret']), 401, AUTH_INVALID);
		const now = { ...partner, ...won };
		for (const { nonce } of [first, second]) expectAnswer(await list(now, { nonce }), 401, AUTH_INVALID);
		expect((await list(now)).code).toBe(0);
		expect(await auditOf(partner)).toHaveLength(1);
	});

	it('of different secrets: the loser still gets 14, and a new call succeeds', async () => {
		const partner = await newPartner();
		const [first, second] = [await admitted(partner), await admitted(partner)];
		const [one, other] = await Promise.all([first.rotate(['webhookSecret']), second.rotate(['apiSecret'])]);
		given.add(one?.webhookSecret ?? '');
		expect(Object.keys(one ?? {})).toEqual(['webhookSecret']);
		expect(other).toBeNull();
		expect((await rotate(partner, ['apiSecret'])).code).toBe(0);
	});

	it('other calls meanwhile are admitted under the old secret or 3, never anything else', async () => {
		const partner = await newPartner();
		const calls = Array.from({ length: 30 }, () => list(partner));
		const { data } = await rotate(partner, ['apiSecret']);
		const after = await list(partner);
		for (const { code } of await Promise.all(calls)) expect([0, 3]).toContain(code);
		expectAnswer(after, 401, AUTH_INVALID);
		expect((await list({ ...partner, ...data })).code).toBe(0);
	});

	it('beside operators’ updates overwrites none of them', async () => {
		const partner = await newPartner();
		const update = (afftaxBps: number) => service.current().operator('partner/update', { id: partner.id, afftaxBps });
		const updates = Promise.allSettled([update(10), update(20), update(30)]);
		const { code, data } = await rotate(partner, ['apiSecret']);
		expect(code).toBe(0);
		for (const outcome of await updates) {
			if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('changed by somebody else');
		}
		expect((await list({ ...partner, ...data })).code).toBe(0);
		expect((await list(partner)).code).toBe(3);
	});
});

describe('a rotated webhookSecret', () => {
	it('signs the deliveries from then on', async () => {
		const receiver = await startWebhookReceiver();
		const partner = await newPartner({ webhookUrl: receiver.url });
		const { data: before } = await create(service.current(), partner);
		await service.current().operator('sandbox/deposit', { orders: [before.id], confirmations: 0 });
		expect(verify(await receiver.waitFor(() => true, 20_000), partner.webhookSecret)).toBe(true);
		receiver.clear();
		const { data } = await rotate(partner, ['webhookSecret']);
		await service.current().operator('sandbox/confirm', { orders: [before.id] });
		const delivery = await receiver.waitFor(() => true, 20_000);
		expect(verify(delivery, data.webhookSecret ?? '')).toBe(true);
		expect(verify(delivery, partner.webhookSecret)).toBe(false);
		await receiver.close();
	});
});

describe('the audit', () => {
	it('has each successful rotation and no secret; its source network is recognisable but not in cleartext', async () => {
		const [partner, other] = [await newPartner(), await newPartner()];
		const from = (address: string) => ({ headers: { 'cf-connecting-ip': address } });
		await rotate(partner, ['webhookSecret'], from('203.0.113.7'));
		await rotate(partner, ['webhookSecret'], from('203.0.113.99'));
		await rotate(partner, ['webhookSecret'], from('198.51.100.7'));
		await rotate(other, ['apiSecret', 'webhookSecret'], from('203.0.113.7'));
		const changes = (await auditOf(partner)).map(
			({ changes }) => JSON.parse(changes) as { rotated: string[]; clientNetworkHash: string },
		);
		expect(changes.map(({ rotated }) => rotated)).toEqual(Array(3).fill(['webhookSecret']));
		const [first, second, third] = changes.map(({ clientNetworkHash }) => clientNetworkHash);
		expect(first).toMatch(/^[0-9a-f]{64}$/);
		expect(second).toBe(first);
		expect(third).not.toBe(first);
		const [{ changes: others } = { changes: '' }] = await auditOf(other);
		expect(JSON.parse(others)).toEqual({ rotated: ['apiSecret', 'webhookSecret'], clientNetworkHash: first });
		const [{ all } = { all: '' }] = await service
			.current()
			.sql<{ all: string }>('SELECT group_concat(changes) AS "all" FROM audit_log');
		for (const address of ['203.0.113', '198.51.100']) expect(all).not.toContain(address);
	});
});

describe('at rest', () => {
	it('no secret that was ever issued is anywhere in the state folder', async () => {
		let partner = await newPartner();
		for (let i = 0; i < 5; i++) {
			const { data } = await rotate(partner, ['apiSecret', 'webhookSecret']);
			partner = { ...partner, ...data };
		}
		const contents = await contentsOf(service.current().stateDirectory);
		const isThere = (text: string): boolean => contents.some((content) => content.includes(text));
		expect(isThere(partner.apiKey)).toBe(true);
		expect(given.size).toBeGreaterThanOrEqual(12);
		expect([...given].filter(isThere)).toEqual([]);
	});
});
