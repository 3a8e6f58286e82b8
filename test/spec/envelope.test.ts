/** Envelope and transport (book: contract, "What the service does", "Errors", "Envelope and transport"). */
import { describe, expect, it } from 'vitest';
import { createBody } from '../support/orders.ts';
import { type Answer, call, signed } from '../support/partner.ts';
import { surface, validBody } from '../support/refusals.ts';
import { eventually, sharedService } from '../support/service.ts';
import { callsForFile, expectFailure, MAX_BODY_BYTES, PRICE } from '../support/transport.ts';

const service = sharedService();
const { partner, anonymous, sign } = callsForFile(service);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const open = surface.filter(({ auth }) => auth === 'optional');
const closed = surface.filter(({ auth }) => auth === 'required');
const paths = [...new Set(surface.map(({ path }) => path))];

describe('every response uses one envelope', () => {
	it('success is exactly { code: 0, msg: "", data }', async () => {
		const answer = await anonymous('/api/v1/price', PRICE);
		expect(answer.status).toBe(200);
		expect(answer.headers.get('content-type')).toContain('application/json');
		expect(Object.entries(JSON.parse(answer.text))).toEqual([
			['code', 0],
			['msg', ''],
			['data', expect.any(Object)],
		]);
	});

	it('a failure is exactly { code, msg }, with no data', async () => {
		expectFailure(await anonymous('/api/v1/price', {}), 400, 1, 'INVALID_REQUEST');
		expectFailure(await anonymous('/api/v1/order', {}), 401, 2, 'AUTH_REQUIRED');
	});

	it('none may be cached', async () => {
		for (const answer of [
			await anonymous('/api/v1/currencies', '{}'),
			await anonymous('/api/v1/pairs', '{}'),
			await anonymous('/api/v1/price', PRICE),
			await anonymous('/api/v1/price', {}),
			await sign('/api/v1/create', createBody()),
		]) {
			expect(answer.headers.get('cache-control')).toBe('no-store');
		}
	});
});

describe('an unknown path: HTTP 404, code 6', () => {
	it.each([
		'/api',
		'/api/v1',
		'/api/v1/',
		'/api/v1/nothing',
		'/api/v2/price',
		'/api/v1/price/',
		'/api/v1/price/more',
		'//api/v1/price',
		'/API/V1/PRICE',
		'/api/v1/Price',
		'/api/v1/%E0%A4%A',
		'/api/v1/%00',
	])('%s', async (path) => {
		for (const method of ['GET', 'POST', 'DELETE']) {
			const answer = await anonymous(path, method === 'GET' ? undefined : '{}', { method });
			expectFailure(answer, 404, 6, 'NOT_FOUND');
		}
	});

	it('for any caller', async () => {
		expectFailure(await sign('/api/v1/nothing', '{}'), 404, 6, 'NOT_FOUND');
	});
});

describe('a wrong method on a known path: HTTP 405, code 1, with Allow', () => {
	it.each(paths)('%s', async (path) => {
		const known = surface.filter((endpoint) => endpoint.path === path).map(({ method }): string => method);
		for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((candidate) => !known.includes(candidate))) {
			const answer = await anonymous(path, method === 'GET' ? undefined : '{}', { method });
			expectFailure(answer, 405, 1, 'INVALID_REQUEST');
			const allowed = (answer.headers.get('allow') ?? '').split(', ');
			// Every path that answers GET also answers HEAD (RFC 9110 §9.3.2).
			const served = known.includes('GET') ? [...known, 'HEAD'] : known;
			expect(allowed.filter((name) => name !== 'OPTIONS').sort()).toEqual(served.toSorted());
		}
		if (!known.includes('GET')) expect((await anonymous(path, undefined, { method: 'HEAD' })).status).toBe(405);
	});

	it.each(closed.map(({ path }) => path))('%s answers no preflight', async (path) => {
		expectFailure(await anonymous(path, undefined, { method: 'OPTIONS' }), 405, 1, 'INVALID_REQUEST');
	});
});

describe('X-Request-Id', () => {
	it('is on every response, and unique', async () => {
		const answers = [
			await anonymous('/api/v1/price', PRICE),
			await anonymous('/api/v1/price', {}),
			await anonymous('/api/v1/price', undefined, { method: 'OPTIONS' }),
			await anonymous('/api/v1/price', undefined, { method: 'GET' }),
			await anonymous('/api/v1/price', 'x'.repeat(MAX_BODY_BYTES + 1)),
			await anonymous('/nothing'),
			await anonymous('/api/v1/create', {}),
			await sign('/api/v1/create', createBody()),
		];
		const ids = answers.map(({ headers }) => headers.get('x-request-id'));
		for (const id of ids) expect(id).toMatch(UUID);
		expect(new Set(ids).size).toBe(ids.length);
	});

	it('is the same in the logs, which hold no full client address', async () => {
		const { headers } = await call(
			service.current(),
			'/api/v1/order',
			{},
			{ headers: { 'cf-connecting-ip': '203.0.113.77' } },
		);
		const id = headers.get('x-request-id');
		const line = await eventually('the line in the log', async () =>
			service
				.current()
				.logged('refused')
				.find(({ requestId }) => requestId === id),
		);
		expect(line).toMatchObject({ path: '/api/v1/order', refused: 'AUTH_REQUIRED' });
		expect(JSON.stringify(service.current().logged('refused'))).not.toContain('203.0.113.77');
	});
});

describe('browsers', () => {
	const corsHeaders = ({ headers }: Answer) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));

	it.each(open)('$path sends Access-Control-Allow-Origin: *, also with a refusal', async ({ path }) => {
		const origin = { origin: 'https://shop.example' };
		const exposed = 'Retry-After, X-Request-Id, ETag';
		for (const answer of [
			await anonymous(path, path.endsWith('price') ? PRICE : '{}', { headers: origin }),
			await anonymous(path, '[]', { headers: origin }),
			await anonymous(path, undefined, { method: 'GET', headers: origin }),
			await anonymous(path, 'x'.repeat(MAX_BODY_BYTES + 1), { headers: origin }),
			await anonymous(path, '{}', { headers: { ...origin, 'x-api-key': 'x' } }),
		]) {
			expect(answer.headers.get('access-control-allow-origin')).toBe('*');
			expect(answer.headers.get('access-control-expose-headers')).toBe(exposed);
		}
	});

	it.each(open)('$path answers preflights', async ({ path, method }) => {
		const headers = {
			origin: 'https://shop.example',
			'access-control-request-method': method,
			'access-control-request-headers': 'content-type',
		};
		const answer = await anonymous(path, undefined, { method: 'OPTIONS', headers });
		expect([200, 204]).toContain(answer.status);
		expect(answer.headers.get('access-control-allow-origin')).toBe('*');
		expect(answer.headers.get('access-control-allow-methods')).toContain(method);
		expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('content-type');
		// Signed endpoints send no CORS headers, because a secret must not be in a browser.
		expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).not.toContain('x-api');
		expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
	});

	it.each(closed)('$path sends no CORS headers', async (endpoint) => {
		const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
		for (const answer of [
			await signed(service.current(), partner(), endpoint.path, validBody(endpoint), { headers }),
			await sign(endpoint.path, '[]'),
			await anonymous(endpoint.path, '{}', { headers }),
			await anonymous(endpoint.path, undefined, { method: 'OPTIONS', headers }),
		]) {
			expect(corsHeaders(answer)).toEqual([]);
		}
	});
});
