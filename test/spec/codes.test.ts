/** Reference codes (book: contract, "Reference code", "Reference codes", "Limits"). */
import { describe, expect, it } from 'vitest';
import { create, untilStatus } from '../support/orders.ts';
import { type Answer, type Credentials, call, createPartner, newNonce, signed } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';

const service = sharedService();
const PRICE = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' };
const INVALID_REQUEST = '{"code":1,"msg":"INVALID_REQUEST"}';
const NOT_FOUND = '{"code":6,"msg":"NOT_FOUND"}';
const LIMIT_EXCEEDED = '{"code":13,"msg":"LIMIT_EXCEEDED"}';

interface Code {
	readonly id: string;
	readonly code: string;
	readonly label: string | null;
	readonly afftaxBps: number;
	readonly enabled: boolean;
	readonly createdAt: string;
}

const newPartner = (more: Record<string, unknown> = {}) => createPartner(service.current(), more);
const send = <T = Code>(by: Credentials, method: string, path: string, body: unknown): Promise<Answer<T>> =>
	signed<T>(service.current(), by, path, body, { method });
const make = (by: Credentials, body: unknown) => send(by, 'POST', '/api/v1/codes', body);
const list = (by: Credentials) => send<Code[]>(by, 'GET', '/api/v1/codes', '');
const disable = (by: Credentials, code: unknown) => send(by, 'DELETE', '/api/v1/codes', { code });
const enable = (by: Credentials, code: unknown) => send(by, 'POST', '/api/v1/codes/enable', { code });
const priceWith = (by: Credentials, code: string, more = {}) =>
	signed<{ markupBps: number }>(
		service.current(),
		by,
		'/api/v1/price',
		{ ...PRICE, ...more },
		{ apiKey: `${by.apiKey}.${code}` },
	);

function expectAnswer(answer: Answer<unknown>, status: number, text: string): void {
	expect(answer.text).toBe(text);
	expect(answer.status).toBe(status);
}

describe('POST /api/v1/codes', () => {
	it('answers the reference code record', async () => {
		const partner = await newPartner();
		const before = Date.now();
		const { status, data } = await make(partner, { code: 'Summer_24-x', label: 'Summer', afftaxBps: 120 });
		expect(status).toBe(200);
		expect(Object.keys(data)).toEqual(['id', 'code', 'label', 'afftaxBps', 'enabled', 'createdAt']);
		expect(data).toMatchObject({ code: 'Summer_24-x', label: 'Summer', afftaxBps: 120, enabled: true });
		expect(data.id).toMatch(/^[0-9a-f-]{36}$/);
		expect(data.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
		expect(Date.parse(data.createdAt)).toBeGreaterThanOrEqual(before - 1000);
		expect(Date.parse(data.createdAt)).toBeLessThanOrEqual(Date.now() + 1000);
	});

	it('matches ^[A-Za-z0-9_-]{4,32}$; no dots', async () => {
		const partner = await newPartner();
		for (const code of ['abcd', '____', '-0-0', 'A'.repeat(32)]) expect((await make(partner, { code })).code).toBe(0);
		const wrong = [undefined, null, 1234, '', 'abc', 'A'.repeat(33), 'a.bc', 'ab cd', 'abcd\n', 'äöüß', ['abcd']];
		for (const code of wrong) expectAnswer(await make(partner, { code }), 400, INVALID_REQUEST);
	});

	it('is unique per partner, case-sensitive: a code that the partner already has → 1, disabled or not', async () => {
		const [partner, other] = [await newPartner(), await newPartner()];
		expect((await make(partner, { code: 'twice' })).code).toBe(0);
		expectAnswer(await make(partner, { code: 'twice', afftaxBps: 5 }), 400, INVALID_REQUEST);
		await disable(partner, 'twice');
		expectAnswer(await make(partner, { code: 'twice' }), 400, INVALID_REQUEST);
		expect((await make(partner, { code: 'Twice' })).code).toBe(0);
		expect((await make(other, { code: 'twice' })).code).toBe(0);
		expect((await list(partner)).data.map(({ code, enabled }) => [code, enabled])).toEqual([
			['Twice', true],
			['twice', false],
		]);
	});

	it('makes a code once when ten calls create it at once', async () => {
		const partner = await newPartner();
		const answers = await Promise.all(Array.from({ length: 10 }, () => make(partner, { code: 'at-once' })));
		expect(answers.map(({ code }) => code).toSorted()).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
		expect((await list(partner)).data).toHaveLength(1);
	});

	it.each([
		['none', undefined, null],
		['null', null, null],
		['empty', '', null],
		['whitespace-only', ' \t\n\u00a0', null],
		['70 blanks', ' '.repeat(70), null],
		['free-form', ' <b>„Ä“</b> \u0001 ', ' <b>„Ä“</b> \u0001 '],
		['64 characters', 'x'.repeat(64), 'x'.repeat(64)],
		['64 characters that are two UTF-16 units each', '🦊'.repeat(64), '🦊'.repeat(64)],
	])('label: %s is taken', async (_, label, kept) => {
		const partner = await newPartner();
		expect((await make(partner, { code: 'labelled', label })).data.label).toBe(kept);
		expect((await list(partner)).data[0]?.label).toBe(kept);
	});

	it.each([
		['65 characters', `"${'x'.repeat(65)}"`],
		['65 characters outside the BMP', `"${'🦊'.repeat(65)}"`],
		['a NUL', '"a\\u0000b"'],
		['NULs alone', '"\\u0000"'],
		['a lone high surrogate', '"a\\ud800"'],
		['a lone low surrogate', '"\\udc00a"'],
		['a number', '7'],
		['an object', '{}'],
	])('label: %s → 1', async (_, label) => {
		const partner = await newPartner();
		expectAnswer(await make(partner, `{"code":"labelled","label":${label}}`), 400, INVALID_REQUEST);
		expect((await list(partner)).data).toEqual([]);
	});

	it('afftaxBps is 0..2000, default 0; out of range returns code 1', async () => {
		const partner = await newPartner();
		expect((await make(partner, { code: 'no-afftax' })).data.afftaxBps).toBe(0);
		for (const afftaxBps of [0, 1, 2000]) {
			expect((await make(partner, { code: `bps-${afftaxBps}`, afftaxBps })).data.afftaxBps).toBe(afftaxBps);
		}
		expect((await make(partner, { code: 'null-afftax', afftaxBps: null })).data.afftaxBps).toBe(0);
		for (const afftaxBps of ['-1', '2001', '0.5', '1e400', '"100"', 'true', '[1]']) {
			expectAnswer(await make(partner, `{"code":"wrong","afftaxBps":${afftaxBps}}`), 400, INVALID_REQUEST);
		}
	});

	it('a body that is not a JSON object → 1; unknown fields are ignored', async () => {
		const partner = await newPartner();
		for (const body of ['', 'x', '[]', 'null', '"abcd"', '{"code":"abcd"', Uint8Array.of(0xff)]) {
			expectAnswer(await make(partner, body), 400, INVALID_REQUEST);
		}
		const { data } = await make(partner, { code: 'extra', enabled: false, id: 'mine', partnerId: 'x' });
		expect(data).toMatchObject({ code: 'extra', enabled: true });
		expect(data.id).not.toBe('mine');
	});

	it('the cap counts enabled and disabled codes: code 13, HTTP 403', async () => {
		const partner = await newPartner({ maxRefCodes: 2 });
		await make(partner, { code: 'one-1' });
		await make(partner, { code: 'two-2' });
		await disable(partner, 'one-1');
		expectAnswer(await make(partner, { code: 'three' }), 403, LIMIT_EXCEEDED);
		// A duplicate is answered as a duplicate, also at the cap.
		expectAnswer(await make(partner, { code: 'two-2' }), 400, INVALID_REQUEST);
		await service.current().operator('partner/update', { id: partner.id, maxRefCodes: 3 });
		expect((await make(partner, { code: 'three' })).code).toBe(0);
		await service.current().operator('partner/update', { id: partner.id, maxRefCodes: 0 });
		expectAnswer(await make(partner, { code: 'four' }), 403, LIMIT_EXCEEDED);
		expect((await enable(partner, 'one-1')).data.enabled).toBe(true);
	});

	it('of ten creations at once with room for three, exactly three succeed', async () => {
		const partner = await newPartner();
		for (let i = 0; i < 47; i++) expect((await make(partner, { code: `code-${i}` })).code).toBe(0);
		const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => make(partner, { code: `race-${i}` })));
		expect(answers.filter(({ code }) => code === 0)).toHaveLength(3);
		for (const answer of answers.filter(({ code }) => code !== 0)) expectAnswer(answer, 403, LIMIT_EXCEEDED);
		expect((await list(partner)).data).toHaveLength(50);
	});
});

describe('GET /api/v1/codes', () => {
	it('lists enabled and disabled codes, newest first, with the same records as the answers', async () => {
		const partner = await newPartner();
		const made = [];
		for (const code of ['zzzz', 'aaaa', 'mmmm']) made.push((await make(partner, { code, label: code })).data);
		const disabled = (await disable(partner, 'aaaa')).data;
		expect((await list(partner)).data).toEqual([made[2], disabled, made[0]]);
	});

	it('at most 100 rows, and no other partner’s', async () => {
		const [partner, other] = [await newPartner({ maxRefCodes: 200 }), await newPartner()];
		expect((await list(other)).text).toBe('{"code":0,"msg":"","data":[]}');
		await make(other, { code: 'others' });
		for (let i = 100; i < 203; i++) await make(partner, { code: `code-${i}` });
		const { data } = await list(partner);
		expect(data.map(({ code }) => code)).toEqual(Array.from({ length: 100 }, (_, i) => `code-${202 - i}`));
		expect((await list(other)).data.map(({ code }) => code)).toEqual(['others']);
	}, 120_000);

	it.each(['timestamp', 'body-only'] as const)('is signed over zero bytes in %s mode; `{}` → 3', async (mode) => {
		const partner = await newPartner();
		const get = (body: string) => signed(service.current(), partner, '/api/v1/codes', body, { method: 'GET', mode });
		expect((await get('')).code).toBe(0);
		expect((await get('{}')).code).toBe(3);
	});
});

describe('DELETE /api/v1/codes and POST /api/v1/codes/enable', () => {
	it('return the current record; both may be repeated; the row is kept', async () => {
		const partner = await newPartner();
		const { data: made } = await make(partner, { code: 'toggled', label: 'L', afftaxBps: 7 });
		for (let i = 0; i < 2; i++) expect((await disable(partner, 'toggled')).data).toEqual({ ...made, enabled: false });
		expect((await list(partner)).data).toEqual([{ ...made, enabled: false }]);
		for (let i = 0; i < 2; i++) expect((await enable(partner, 'toggled')).data).toEqual(made);
		expect((await list(partner)).data).toEqual([made]);
	});

	it('take effect on the next call: a disabled code as an X-API-KEY suffix gets code 3', async () => {
		const partner = await newPartner();
		expect((await priceWith(partner, 'suffix')).code).toBe(3);
		await make(partner, { code: 'suffix' });
		for (let i = 0; i < 5; i++) {
			expect((await priceWith(partner, 'suffix')).code).toBe(0);
			await disable(partner, 'suffix');
			expectAnswer(await priceWith(partner, 'suffix'), 401, '{"code":3,"msg":"AUTH_INVALID"}');
			await enable(partner, 'suffix');
		}
	});

	it('a miss → 6: unknown, another partner’s, or malformed', async () => {
		const [partner, other] = [await newPartner(), await newPartner()];
		await make(other, { code: 'theirs' });
		for (const code of ['unknown', 'theirs', '', 'a.b', 'x'.repeat(2000), 'nul\u0000', '\ud800', 'THEIRS']) {
			expectAnswer(await disable(partner, code), 404, NOT_FOUND);
			expectAnswer(await enable(partner, code), 404, NOT_FOUND);
		}
		expect((await list(other)).data[0]?.enabled).toBe(true);
	});

	it('a body without a text code → 1', async () => {
		const partner = await newPartner();
		for (const body of ['', '{}', '[]', '{"code":null}', '{"code":1234}', '{"code":["abcd"]}']) {
			expectAnswer(await send(partner, 'DELETE', '/api/v1/codes', body), 400, INVALID_REQUEST);
			expectAnswer(await send(partner, 'POST', '/api/v1/codes/enable', body), 400, INVALID_REQUEST);
		}
	});

	it('the request signature covers the exact body of DELETE', async () => {
		const partner = await newPartner();
		await make(partner, { code: 'signed' });
		const bend = { method: 'DELETE', sentBody: '{"code": "signed"}' };
		const answer = await signed(service.current(), partner, '/api/v1/codes', '{"code":"signed"}', bend);
		expect(answer.code).toBe(3);
		expect((await list(partner)).data[0]?.enabled).toBe(true);
	});
});

describe('the afftax of a code', () => {
	it('applies when the body has no afftax; 0 falls through to the partner default', async () => {
		const partner = await newPartner({ afftaxBps: 30 });
		await make(partner, { code: 'code-200', afftaxBps: 200 });
		await make(partner, { code: 'code-0', afftaxBps: 0 });
		expect((await priceWith(partner, 'code-200')).data.markupBps).toBe(200);
		expect((await priceWith(partner, 'code-200', { afftax: 5 })).data.markupBps).toBe(5);
		expect((await priceWith(partner, 'code-0')).data.markupBps).toBe(30);
		const { data: order } = await create(service.current(), partner, {}, { apiKey: `${partner.apiKey}.code-200` });
		expect(order.markupBps).toBe(200);
	});
});

describe('a refused call', () => {
	it('spends its nonce when it was well signed, and weight 1 when it was admitted', async () => {
		const partner = await newPartner({ weightPerMinute: 3 });
		const nonce = newNonce();
		const at = (path: string, body: unknown) => signed(service.current(), partner, path, body, { nonce });
		expect((await at('/api/v1/codes', { code: 'x' })).code).toBe(1);
		expect((await at('/api/v1/codes', { code: 'good' })).code).toBe(3);
		expect((await enable(partner, 'unknown')).code).toBe(6);
		expect((await list(partner)).data).toEqual([]);
		expect((await list(partner)).code).toBe(5);
	});

	it('without auth headers → 2; another method → 405 with Allow', async () => {
		expectAnswer(
			await call(service.current(), '/api/v1/codes', { code: 'abcd' }),
			401,
			'{"code":2,"msg":"AUTH_REQUIRED"}',
		);
		const answer = await call(service.current(), '/api/v1/codes', {}, { method: 'PUT' });
		expectAnswer(answer, 405, INVALID_REQUEST);
		expect(answer.headers.get('allow')).toBe('POST, GET, HEAD, DELETE');
	});
});

describe('orders', () => {
	it('keep the code that they were made with, and the operator sees them counted by code', async () => {
		const partner = await newPartner({ weightPerMinute: 1_000_000 });
		for (const code of ['summer', 'winter', 'unused']) await make(partner, { code });
		const under = (code: string | null) =>
			create(service.current(), partner, {}, code === null ? {} : { apiKey: `${partner.apiKey}.${code}` });
		const made = [await under('summer'), await under('summer'), await under('winter'), await under(null)];
		const [paid, , , plain] = made.map(({ data }) => data);
		if (!paid || !plain) throw new Error('no order');
		await service.current().operator('sandbox/deposit', { orders: [paid.id] });
		await untilStatus(service.current(), partner, paid, 'DONE');

		const shown = (id: string) => service.current().operator<{ internal: unknown }>('order/show', { id });
		expect((await shown(paid.id)).internal).toMatchObject({ referenceCode: 'summer' });
		expect((await shown(plain.id)).internal).toMatchObject({ referenceCode: null });
		expect(await service.current().operator('partner/show', { id: partner.id })).toMatchObject({
			referenceCodes: [
				{ code: 'summer', orders: 2, ordersDone: 1, volumeUsd: '190.00' },
				{ code: 'winter', orders: 1, ordersDone: 0, volumeUsd: '0.00' },
			],
		});
		await service.current().sql(
			`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 600)
			INSERT INTO code_totals (partner_id, reference_code) SELECT ?, printf('x%04d', n) FROM numbers`,
			partner.id,
		);
		const { referenceCodes, moreReferenceCodes } = await service
			.current()
			.operator<{ referenceCodes: unknown[]; moreReferenceCodes: boolean }>('partner/show', { id: partner.id });
		expect([referenceCodes.length, moreReferenceCodes]).toEqual([500, true]);
		// The partner's own view and webhooks have only the contract's fields.
		expect(JSON.stringify(made[0]?.data)).not.toContain('summer');
	});
});
