/** Scoped keys (book: contract, "Scoped keys"): what each kind may call, and what ends one. */
import { describe, expect, it } from 'vitest';
import { KEY_KINDS, type KeyKind } from '../../src/partners/partner.ts';
import { create, createBody, PRICE } from '../support/orders.ts';
import { type Answer, type Bend, type Credentials, createPartner, newNonce, signed } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';
import { SURFACE } from '../support/surface.ts';

const service = sharedService();
const KEYS = '/api/v1/keys';
const CURRENCIES = '/api/v1/currencies';

interface Made extends Credentials {
	readonly kind: KeyKind;
	readonly lastUsedAt: number | null;
	readonly expiresAt: number | null;
}

const send = <T = Record<string, unknown>>(by: Credentials, path: string, body: unknown, bend: Bend = {}) =>
	signed<T>(service.current(), by, path, body, bend);
const make = (by: Credentials, more: Record<string, unknown> = {}) =>
	send<Made>(by, KEYS, { kind: 'app', label: 'Wallet', ...more });
const list = (by: Credentials) => send<Made[]>(by, KEYS, '', { method: 'GET' });
const revoke = (by: Credentials, id: unknown) => send<boolean>(by, KEYS, { id }, { method: 'DELETE' });
const code = async (asked: Promise<Answer<unknown>>): Promise<number> => (await asked).code;
const works = (by: Credentials, bend: Bend = {}) => code(send(by, CURRENCIES, '{}', bend));

async function made(partner: Credentials, more: Record<string, unknown> = {}): Promise<Made> {
	const answer = await make(partner, more);
	expect(answer.text).toContain('"code":0');
	return answer.data;
}

/** The kinds that may call each, beside the first key. */
const MAY: Readonly<Record<string, readonly KeyKind[]>> = {
	'POST /api/v1/assets': ['app', 'read', 'server'],
	'POST /api/v1/currencies': ['app', 'read', 'server'],
	'POST /api/v1/pairs': ['app', 'read', 'server'],
	'POST /api/v1/price': ['app', 'read', 'server'],
	'POST /api/v1/limits': ['app', 'read', 'server'],
	'POST /api/v1/validate-address': ['app', 'read', 'server'],
	'POST /api/v1/create': ['app', 'server'],
	'POST /api/v1/order': ['app', 'read', 'server'],
	// By the status token, for anyone who has it.
	'GET /api/v1/status': ['app', 'read', 'server'],
	'POST /api/v1/qr': ['app', 'read', 'server'],
	'POST /api/v1/orders': ['read', 'server'],
	'POST /api/v1/earnings': ['read', 'server'],
	'GET /api/v1/codes': ['read', 'server'],
	'POST /api/v1/codes': ['server'],
	'DELETE /api/v1/codes': ['server'],
	'POST /api/v1/codes/enable': ['server'],
	'POST /api/v1/emergency': ['server'],
	'GET /api/v1/webhooks': ['server'],
	'POST /api/v1/webhooks': ['server'],
	'POST /api/v1/webhooks/change': ['server'],
	'DELETE /api/v1/webhooks': ['server'],
	'POST /api/v1/webhooks/test': ['server'],
	'POST /api/v1/webhooks/deliveries': ['read', 'server'],
	'POST /api/v1/webhooks/redeliver': ['server'],
	'POST /api/v1/keys/rotate': ['server'],
	'POST /api/v1/keys': [],
	'GET /api/v1/keys': [],
	'DELETE /api/v1/keys': [],
	// Of a public sandbox alone: elsewhere the path is unknown, to whom may call it too.
	'POST /api/v1/sandbox/keys': [],
	'POST /api/v1/sandbox/deposit': ['app', 'server'],
};

describe('each kind against every operation', () => {
	it.each(KEY_KINDS)('a key of the kind %s may call what the table says, and hears 4 for all else', async (kind) => {
		const partner = await createPartner(service.current(), { weightPerMinute: 10_000 });
		const key = await made(partner, { kind });
		const called = SURFACE.filter(({ auth }) => auth !== 'none');
		expect(called.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(Object.keys(MAY).toSorted());
		for (const { method, path } of called) {
			// A body that no endpoint takes: nothing is done.
			const answer = await send(key, path, method === 'GET' ? '' : '[]', { method });
			const isAllowed = MAY[`${method} ${path}`]?.includes(kind);
			expect([method, path, answer.code < 2 ? 'allowed' : answer.code]).toEqual([
				method,
				path,
				isAllowed ? 'allowed' : 4,
			]);
			if (!isAllowed) expect([answer.status, answer.text]).toEqual([401, '{"code":4,"msg":"AUTH_DISABLED"}']);
		}
	});
});

describe('making, listing and revoking', () => {
	it('a key is made by the first key, works at once, and its secret is shown this once', async () => {
		const partner = await createPartner(service.current());
		expect(await works(partner)).toBe(0);
		const key = await made(partner, { kind: 'server', label: 'Second server' });
		expect(Object.keys(key).toSorted()).toEqual(
			['addresses', 'apiKey', 'apiSecret', 'createdAt', 'expiresAt', 'id', 'kind', 'label', 'lastUsedAt'].toSorted(),
		);
		expect(await works(key)).toBe(0);
		expect(await works({ ...key, apiSecret: partner.apiSecret })).toBe(3);
		expect(await works({ ...partner, apiSecret: key.apiSecret })).toBe(3);
		const listed = await list(partner);
		expect(listed.data.map(({ id }) => id)).toEqual([key.id]);
		expect(listed.text).not.toContain(key.apiSecret);
	});

	it('revoking ends one key at once, and touches no other', async () => {
		const partner = await createPartner(service.current());
		const [one, other] = [await made(partner), await made(partner)];
		expect([await works(one), await works(other)]).toEqual([0, 0]);
		expect((await revoke(partner, one.id)).data).toBe(true);
		expect([await works(one), await works(other), await works(partner)]).toEqual([3, 0, 0]);
		expect((await list(partner)).data.map(({ id }) => id)).toEqual([other.id]);
		expect(await code(revoke(partner, one.id))).toBe(6);
	});

	it('of calls while a key is revoked, none is admitted after the answer', async () => {
		const partner = await createPartner(service.current());
		const key = await made(partner);
		const during = Array.from({ length: 20 }, () => works(key));
		await revoke(partner, key.id);
		const after = await Promise.all(Array.from({ length: 20 }, () => works(key)));
		for (const each of await Promise.all(during)) expect([0, 3]).toContain(each);
		expect(new Set(after)).toEqual(new Set([3]));
	});

	it('another partner’s key is unknown', async () => {
		const [partner, other] = [await createPartner(service.current()), await createPartner(service.current())];
		const key = await made(partner);
		expect(await code(revoke(other, key.id))).toBe(6);
		expect(await works(key)).toBe(0);
	});

	it('a partner has ten at most: code 13, HTTP 403', async () => {
		const partner = await createPartner(service.current());
		const answers = await Promise.all(Array.from({ length: 12 }, () => make(partner)));
		expect(answers.filter((answer) => answer.code === 0)).toHaveLength(10);
		expect(answers.filter((answer) => answer.code === 13 && answer.status === 403)).toHaveLength(2);
		await revoke(partner, answers.find((answer) => answer.code === 0)?.data.id);
		expect(await code(make(partner))).toBe(0);
	});

	it.each([
		[{ kind: 'admin' }],
		[{ kind: ['app', 'server'] }],
		[{ label: '' }],
		[{ label: 'x'.repeat(65) }],
		[{ label: 'two\nlines' }],
		[{ label: 'turned \u202e round' }],
		[{ addresses: ['192.0.2.0/33'] }],
		[{ addresses: ['example.com'] }],
		[{ addresses: Array(17).fill('192.0.2.1') }],
		[{ addresses: '192.0.2.1' }],
		[{ expiresAt: 1 }],
		[{ expiresAt: 1e300 }],
		[{ expiresAt: '2030-01-01' }],
	])('%j → 1', async (more) => {
		expect(await code(make(await createPartner(service.current()), more))).toBe(1);
	});

	it('each is in the audit log, without a secret', async () => {
		const partner = await createPartner(service.current());
		const key = await made(partner, { label: 'Logged' });
		await revoke(partner, key.id);
		const rows = await service
			.current()
			.sql<{ command: string; changes: string }>(
				"SELECT command, changes FROM audit_log WHERE subject = ? AND actor = 'partner' ORDER BY number",
				partner.id,
			);
		expect(rows.map(({ command }) => command)).toEqual(['keys', 'keys revoke']);
		for (const { changes } of rows) expect(changes).toContain(key.id);
		expect(JSON.stringify(rows)).not.toContain(key.apiSecret);
	});
});

describe('an app key', () => {
	it('reads the orders that it made, and no others', async () => {
		const partner = await createPartner(service.current());
		const [key, other] = [await made(partner), await made(partner)];
		const read = (by: Credentials, { id, token }: { id: string; token: string | null }) =>
			code(send(by, '/api/v1/order', { id, token }));
		const own = (await create(service.current(), key)).data;
		const first = (await create(service.current(), partner)).data;
		expect([await read(key, own), await read(partner, own), await read(other, own)]).toEqual([0, 0, 6]);
		expect([await read(key, first), await read(partner, first)]).toEqual([6, 0]);
		expect(await code(send(key, '/api/v1/qr', { id: first.id, token: first.token }))).toBe(6);
		expect(await read(key, { ...own, token: first.token })).toBe(6);
	});

	it('neither learns nor takes an Idempotency-Key of another key', async () => {
		const partner = await createPartner(service.current());
		const [key, other] = [await made(partner), await made(partner)];
		const named = { headers: { 'idempotency-key': newNonce() } };
		const makers = [partner, key, other];
		const orders: string[] = [];
		for (const by of makers) {
			const answer = await create(service.current(), by, {}, named);
			expect([answer.code, typeof answer.data.token]).toEqual([0, 'string']);
			orders.push(answer.data.id);
		}
		expect(new Set(orders).size).toBe(makers.length);
		const again = await create(service.current(), key, {}, named);
		expect([again.data.id, again.data.token]).toEqual([orders[1], null]);
		expect(await code(create(service.current(), key, { amount: '3' }, named))).toBe(1);
	});

	it('may not ask for a unique externalId: that name is its partner’s', async () => {
		const partner = await createPartner(service.current());
		const key = await made(partner);
		const body = createBody({ externalId: 'invoice-7', externalIdUnique: true });
		expect(await code(send(key, '/api/v1/create', body))).toBe(4);
		expect(await code(send(partner, '/api/v1/create', body))).toBe(0);
	});

	it('quotes with its partner’s margin, and with a reference code as the first key does', async () => {
		const partner = await createPartner(service.current(), { afftaxBps: 30 });
		await send(partner, '/api/v1/codes', { code: 'blog-70', afftaxBps: 70 });
		const key = await made(partner);
		const markup = async (bend: Bend) => (await send(key, '/api/v1/price', PRICE, bend)).data['markupBps'];
		expect([await markup({}), await markup({ apiKey: `${key.apiKey}.blog-70` })]).toEqual([30, 70]);
		expect(await works(key, { apiKey: `${key.apiKey}.other-code` })).toBe(3);
	});

	it('has a budget of its own: its flood takes nothing of another key’s', async () => {
		const partner = await createPartner(service.current(), { weightPerMinute: 30 });
		const [key, other] = [await made(partner), await made(partner)];
		const server = await made(partner, { kind: 'server' });
		const flood = await Promise.all(Array.from({ length: 60 }, () => send(key, CURRENCIES, '{}')));
		expect(flood.filter((answer) => answer.code === 0)).toHaveLength(30);
		for (const answer of flood.filter((one) => one.code !== 0)) {
			expect(answer.code).toBe(5);
			expect(answer.headers.get('retry-after')).toMatch(/^(5\d|60)$/);
			expect(answer.headers.get('x-budget-remaining')).toBe('0');
		}
		expect([await works(key), await works(other), await works(server), await works(partner)]).toEqual([5, 0, 0, 0]);
		// It is remembered where the gate starts again, which is asked about a call of another weight.
		await service.current().evict('PARTNER_GATE', partner.id);
		const limits = (by: Credentials) => code(send(by, '/api/v1/limits', '[]'));
		expect([await limits(key), await limits(other), await limits(server), await limits(partner)]).toEqual([5, 1, 1, 1]);
	});
});

describe('every scoped key', () => {
	it('signs in timestamp mode alone', async () => {
		const key = await made(await createPartner(service.current()));
		expect([await works(key, { mode: 'body-only' }), await works(key)]).toEqual([3, 0]);
	});

	it('has nonces of its own', async () => {
		const partner = await createPartner(service.current());
		const [one, other] = [await made(partner), await made(partner)];
		const bend = { nonce: newNonce() };
		expect([await works(partner, bend), await works(one, bend), await works(other, bend)]).toEqual([0, 0, 0]);
		await service.current().evict('PARTNER_GATE', partner.id);
		expect([await works(partner, bend), await works(one, bend), await works(other, bend)]).toEqual([3, 3, 3]);
	});

	it('is admitted from its addresses, by what Cloudflare says and no other header', async () => {
		const partner = await createPartner(service.current());
		const key = await made(partner, { kind: 'server', addresses: ['192.0.2.0/24', '2001:db8::/32'] });
		const from = (address: string | null, more: Record<string, string> = {}) =>
			works(key, { headers: { 'cf-connecting-ip': address, ...more } });
		expect([await from('192.0.2.200'), await from('2001:db8:7::1'), await from('::ffff:192.0.2.1')]).toEqual([0, 0, 0]);
		for (const address of ['198.51.100.1', '2001:db9::1', '192.0.2.1, 198.51.100.1', 'any'])
			expect([address, await from(address)]).toEqual([address, 3]);
		for (const name of ['x-forwarded-for', 'x-real-ip', 'true-client-ip', 'forwarded', 'x-client-ip', 'cf-pseudo-ipv4'])
			expect([name, await from('198.51.100.1', { [name]: '192.0.2.1' })]).toEqual([name, 3]);
	});

	it('says when it expires', async () => {
		const partner = await createPartner(service.current());
		const expiresAt = Math.floor(Date.now() / 1000) + 3600;
		const key = await made(partner, { expiresAt });
		expect([await works(key), (await list(partner)).data[0]?.expiresAt]).toEqual([0, expiresAt]);
	});

	it('is disabled with its partner', async () => {
		const partner = await createPartner(service.current());
		const key = await made(partner);
		await service.current().operator('partner/update', { id: partner.id, enabled: false });
		expect(await works(key)).toBe(4);
	});

	it('an apiKey that was made up or changed is refused like any other', async () => {
		const partner = await createPartner(service.current());
		const [one, other] = [await made(partner), await made(partner)];
		for (const apiKey of [
			`pk_${'A'.repeat(48)}`,
			one.apiKey.slice(0, -1),
			`${one.apiKey}A`,
			one.apiKey.slice(0, 25) + other.apiKey.slice(25, 33) + one.apiKey.slice(33),
		].filter((text) => text !== one.apiKey && text !== other.apiKey))
			expect([apiKey, await works(one, { apiKey })]).toEqual([apiKey, 3]);
	});

	it('says when it was last used, to the hour', async () => {
		const partner = await createPartner(service.current());
		const key = await made(partner);
		expect((await list(partner)).data[0]?.lastUsedAt).toBeNull();
		const before = Math.floor(Date.now() / 1000);
		for (let i = 0; i < 3; i++) await works(key);
		const used = await eventually('its use to be stored', async () => (await list(partner)).data[0]?.lastUsedAt);
		expect(used).toBeGreaterThanOrEqual(before);
	});
});

describe('keys/rotate by a server key', () => {
	const rotate = (by: Credentials, rotate: readonly string[]) =>
		send<{ apiSecret: string }>(by, '/api/v1/keys/rotate', { rotate });

	it('replaces that key’s own secret, at once, and no other', async () => {
		const partner = await createPartner(service.current());
		const [key, other] = [await made(partner, { kind: 'server' }), await made(partner, { kind: 'server' })];
		const { data } = await rotate(key, ['apiSecret']);
		expect(Object.keys(data)).toEqual(['apiSecret']);
		expect([await works(key), await works({ ...key, ...data })]).toEqual([3, 0]);
		expect([await works(partner), await works(other)]).toEqual([0, 0]);
		await service.current().evict('PARTNER_GATE', partner.id);
		expect([await works(key), await works({ ...key, ...data })]).toEqual([3, 0]);
	});

	it('does not replace the webhookSecret, which is the partner’s', async () => {
		const key = await made(await createPartner(service.current()), { kind: 'server' });
		expect(await code(rotate(key, ['webhookSecret']))).toBe(4);
		expect(await code(rotate(key, ['apiSecret', 'webhookSecret']))).toBe(4);
		expect(await works(key)).toBe(0);
	});

	it('of concurrent rotations one wins, and the others get 14 or 3', async () => {
		const key = await made(await createPartner(service.current()), { kind: 'server' });
		const answers = await Promise.all(Array.from({ length: 4 }, () => rotate(key, ['apiSecret'])));
		const winners = answers.filter((answer) => answer.code === 0);
		expect(winners).toHaveLength(1);
		for (const answer of answers) expect([0, 14, 3]).toContain(answer.code);
		expect(await works({ ...key, apiSecret: winners[0]?.data.apiSecret ?? '' })).toBe(0);
	});

	it('by the first key leaves scoped keys as they are', async () => {
		const partner = await createPartner(service.current());
		const key = await made(partner, { kind: 'read' });
		await rotate(partner, ['apiSecret']);
		expect([await works(partner), await works(key)]).toEqual([3, 0]);
	});
});
