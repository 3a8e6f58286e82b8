/** The OpenAPI document matches the list of endpoints and the answers of the running service. */
import { describe, expect, it } from 'vitest';
import { type JsonSchema, resolved } from '../../src/docs/json-schemas.ts';
import { documentedForFile } from '../support/documented.ts';
import { misfits, operationsOf, promised } from '../support/openapi.ts';
import { type CreatedOrder, create, createBody, untilStatus } from '../support/orders.ts';
import { type Answer, type Bend, call, createPartner, signed } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';
import { SURFACE } from '../support/surface.ts';

const service = sharedService();
const file = documentedForFile(service);

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
	call(service.current(), path, undefined, { method: 'GET', headers });

const eventOperations = () => Object.values(file.document.webhooks).map(({ post }) => post);

const jsonOf = ({ text }: Answer<unknown>): unknown => JSON.parse(text);

describe.each([
	{ path: '/openapi.json', known: (etag: string) => `"other", W/${etag}` },
	{ path: '/openapi-3.0.json', known: (etag: string) => `"other", W/${etag}` },
	// The platform, which serves the built pages, reads no list there; no browser sends one.
	{ path: '/docs', known: (etag: string) => `W/${etag}` },
	{ path: '/docs/api', known: (etag: string) => etag },
])('GET $path', ({ path, known }) => {
	it('is served with ETag, for five minutes, to any origin', async () => {
		const { status, headers } = await get(path);
		expect(status).toBe(200);
		expect(headers.get('etag')).toMatch(/^"[\w+/=]+"$/);
		expect(headers.get('cache-control')).toBe('public, max-age=300');
		expect(headers.get('access-control-allow-origin')).toBe('*');
		expect(headers.get('x-request-id')).toBeTruthy();
	});

	it('answers 304 without a body for the current ETag, and 200 for another', async () => {
		const { headers } = await get(path);
		const etag = headers.get('etag') ?? '';
		const same = await get(path, { 'if-none-match': known(etag) });
		expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', etag]);
		expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
	});

	it('answers HEAD and OPTIONS, and 405 with code 1 and Allow to other methods', async () => {
		const head = await call(service.current(), path, undefined, { method: 'HEAD' });
		expect([head.status, head.text, head.headers.get('etag')]).toEqual([
			200,
			'',
			(await get(path)).headers.get('etag'),
		]);
		expect((await call(service.current(), path, undefined, { method: 'OPTIONS' })).status).toBe(204);
		const post = await call(service.current(), path, {});
		expect([post.status, post.code, post.headers.get('allow')]).toEqual([405, 1, 'GET, HEAD, OPTIONS']);
	});
});

describe('the document', () => {
	it('has every endpoint of the surface and nothing else', () => {
		const rows = SURFACE.map(({ method, path }) => `${method} ${path}`);
		expect(operationsOf(file.document).map(({ name }) => name)).toEqual(rows);
		expect(file.document.openapi).toMatch(/^3\.1\./);
	});

	it('names signing as security alone, and every body, envelope, error and event', () => {
		const { components } = file.document;
		expect(Object.keys(components.securitySchemes)).toEqual(['apiKey', 'signature', 'nonce', 'timestamp']);
		const isNamed = ({ $ref, properties }: JsonSchema) => $ref !== undefined || properties === undefined;
		const all = [...operationsOf(file.document).map(({ operation }) => operation), ...eventOperations()];
		expect(all.flatMap(({ parameters = [] }) => parameters).filter(({ name }) => name.startsWith('X-API-'))).toEqual(
			[],
		);
		for (const { operationId, requestBody, responses } of all)
			for (const part of [requestBody, ...Object.values(responses)])
				for (const { schema } of Object.values(part?.content ?? {}))
					expect([operationId, isNamed(schema)]).toEqual([operationId, true]);
		expect(components.schemas).toHaveProperty('CreateRequest');
		expect(components.schemas).toHaveProperty('CreateResponse');
		expect(components.schemas).toHaveProperty('OrderStatusChangedEvent');
	});

	it('names each operation once', () => {
		const ids = operationsOf(file.document).map(({ operation }) => operation.operationId);
		expect(new Set(ids).size).toBe(ids.length);
	});

	it('has every error code that the surface lists for an endpoint, at its HTTP status', () => {
		for (const { method, path, errors } of SURFACE) {
			const found = operationsOf(file.document).find(({ name }) => name === `${method} ${path}`);
			const shown = Object.entries(found?.operation.responses ?? {}).flatMap(([, { content }]) =>
				Object.values(content?.['application/json']?.examples ?? {}).map(
					({ value }) => (value as { code: number }).code,
				),
			);
			expect(shown, path).toEqual(expect.arrayContaining([...errors]));
		}
	});

	it('has examples that match their schemas', () => {
		const bodies = [...operationsOf(file.document).map(({ operation }) => operation), ...eventOperations()].flatMap(
			(operation) =>
				[operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
					Object.values(part?.content ?? {}).flatMap(({ schema, example, examples }) =>
						examples ? Object.values(examples).map(({ value }) => ({ schema, value })) : [{ schema, value: example }],
					),
				),
		);
		expect(bodies.length).toBeGreaterThan(SURFACE.length * 5);
		expect(bodies.flatMap(({ schema, value }) => misfits(file.document, schema, value))).toEqual([]);
	});

	it('accepts an amount as string or number, and requires the fields that the contract requires', () => {
		const found = operationsOf(file.document).find(({ name }) => name === 'POST /api/v1/create');
		const schema = resolved(
			file.document.components.schemas,
			found?.operation.requestBody?.content['application/json']?.schema ?? {},
		);
		expect(schema?.required?.toSorted()).toEqual(
			['type', 'fromCcy', 'toCcy', 'direction', 'amount', 'toAddress', 'refundAddress'].toSorted(),
		);
		expect(misfits(file.document, schema ?? {}, createBody({ amount: 2.5 }))).toEqual([]);
		expect(misfits(file.document, schema ?? {}, createBody({ amount: true }))).not.toEqual([]);
	});
});

describe('the service’s answer', () => {
	/** Checks the answer against the document's schema for its status. */
	function expectPromised(name: string, answer: Answer<unknown>): void {
		const { schema } = promised(file.document, name, answer.status);
		expect(misfits(file.document, schema, jsonOf(answer)), `${name}: ${answer.text}`).toEqual([]);
	}

	const post = (path: string, body: unknown, bend: Bend = {}) =>
		signed(service.current(), file.partner, path, body, bend);

	it('to currencies, pairs and price matches the document', async () => {
		expectPromised('POST /api/v1/currencies', await call(service.current(), '/api/v1/currencies', {}));
		expectPromised('POST /api/v1/pairs', await call(service.current(), '/api/v1/pairs', {}));
		const body = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'to', amount: 0.05 };
		expectPromised('POST /api/v1/price', await call(service.current(), '/api/v1/price', body));
		expectPromised('POST /api/v1/price', await post('/api/v1/price', body));
	});

	it('to create, order and emergency matches the document, and so do the webhooks', async () => {
		const created = await create(service.current(), file.partner);
		expectPromised('POST /api/v1/create', created);
		const { id, token } = created.data;
		expectPromised('POST /api/v1/order', await post('/api/v1/order', { id, token }));
		await service.current().operator('sandbox/deposit', { orders: [id], amount: '0.1' });
		await untilStatus(service.current(), file.partner, created.data, 'EMERGENCY');
		expectPromised('POST /api/v1/order', await post('/api/v1/order', { id, token }));
		expectPromised('POST /api/v1/emergency', await post('/api/v1/emergency', { id, token, choice: 'EXCHANGE' }));
		await untilStatus(service.current(), file.partner, created.data, 'DONE');
		expectPromised('POST /api/v1/order', await post('/api/v1/order', { id, token }));
		const last = await file.receiver.waitFor(
			({ json }) => (json as { data: { sequence: number } }).data.sequence === 4,
		);
		const schema =
			file.document.webhooks['order.status_changed']?.post.requestBody?.content['application/json']?.schema;
		for (const { json } of file.receiver.received) expect(misfits(file.document, schema ?? {}, json)).toEqual([]);
		expect(Object.keys(last.headers)).toEqual(
			expect.arrayContaining(
				(file.document.webhooks['order.status_changed']?.post.parameters ?? []).map(({ name }) => name.toLowerCase()),
			),
		);
	});

	it('to what is beyond the contract matches the document', async () => {
		const more = { externalId: 'a cart', with: ['progress', 'links', 'payment'] };
		const linked = await create(service.current(), file.partner, more);
		expectPromised('POST /api/v1/create', linked);
		const { links } = linked.data as CreatedOrder & { readonly links: { readonly status: string } };
		const link = links.status.replace(service.current().url, '');
		expectPromised('GET /api/v1/status', await call(service.current(), link, undefined, { method: 'GET' }));
		expectPromised('POST /api/v1/assets', await call(service.current(), '/api/v1/assets', {}));
		const listed = await post('/api/v1/orders', { externalId: 'a cart', with: ['progress'] });
		expect(listed.data['orders']).toHaveLength(1);
		expectPromised('POST /api/v1/orders', listed);
		expectPromised('POST /api/v1/earnings', await post('/api/v1/earnings', {}));
		expectPromised('POST /api/v1/limits', await post('/api/v1/limits', {}));
		expectPromised('POST /api/v1/currencies', await post('/api/v1/currencies', { with: ['chain'] }));
		const address = { ccy: 'LTC', address: 'none' };
		expectPromised('POST /api/v1/validate-address', await post('/api/v1/validate-address', address));
		const sent = await post('/api/v1/webhooks/test', {});
		expectPromised('POST /api/v1/webhooks/test', sent);
		expectPromised('POST /api/v1/webhooks/deliveries', await post('/api/v1/webhooks/deliveries', {}));
		const added = await post('/api/v1/webhooks', { url: file.receiver.url, enabled: false });
		expectPromised('POST /api/v1/webhooks', added);
		expectPromised('GET /api/v1/webhooks', await post('/api/v1/webhooks', '', { method: 'GET' }));
		const change = { id: added.data['id'], events: ['partner.paid_out'] };
		expectPromised('POST /api/v1/webhooks/change', await post('/api/v1/webhooks/change', change));
		const ended = await post('/api/v1/webhooks', { id: change.id }, { method: 'DELETE' });
		expectPromised('DELETE /api/v1/webhooks', ended);
		const again = await post('/api/v1/webhooks/redeliver', { id: 'none' });
		expectPromised('POST /api/v1/webhooks/redeliver', again);
		const played = await post('/api/v1/sandbox/deposit', { id: 'none' });
		expectPromised('POST /api/v1/sandbox/deposit', played);
	});

	it('to qr, codes and keys/rotate matches the document', async () => {
		const { data } = await create(service.current(), file.partner);
		expectPromised('POST /api/v1/qr', await post('/api/v1/qr', { id: data.id, token: data.token }));
		expectPromised('POST /api/v1/codes', await post('/api/v1/codes', { code: 'a-code', label: ' ' }));
		expectPromised('GET /api/v1/codes', await post('/api/v1/codes', '', { method: 'GET' }));
		expectPromised('DELETE /api/v1/codes', await post('/api/v1/codes', { code: 'a-code' }, { method: 'DELETE' }));
		expectPromised('DELETE /api/v1/codes', await post('/api/v1/codes', { code: 'none' }, { method: 'DELETE' }));
		expectPromised('POST /api/v1/codes/enable', await post('/api/v1/codes/enable', { code: 'a-code' }));
		const other = await createPartner(service.current());
		const rotate = { rotate: ['apiSecret', 'webhookSecret'] };
		expectPromised('POST /api/v1/keys/rotate', await signed(service.current(), other, '/api/v1/keys/rotate', rotate));
	});

	it.each(['/api/rates.xml', '/rates/float.xml'])('to GET and HEAD %s matches the document', async (path) => {
		const { get: documented, head } = file.document.paths[path] ?? {};
		const { status, headers } = await get(path);
		const promise = documented?.responses[status];
		expect(Object.keys(promise?.content ?? {})).toEqual([headers.get('content-type')?.split(';')[0]]);
		for (const name of Object.keys(promise?.headers ?? {})) expect(headers.get(name), name).toBeTruthy();
		const same = await call(service.current(), path, undefined, { method: 'HEAD', headers: { 'if-none-match': '*' } });
		expect(Object.keys(head?.responses ?? {})).toContain(String(same.status));
		expect(same.status).toBe(304);
	});

	it('with a refusal matches the document', async () => {
		const { data } = await create(service.current(), file.partner);
		const { id, token } = data as CreatedOrder;
		const poor = await createPartner(service.current(), { weightPerMinute: 10 });
		const key = { headers: { 'idempotency-key': 'one key, two bodies' } };
		await post('/api/v1/create', createBody(), key);
		const refusals: readonly (readonly [path: string, code: number, answer: Answer])[] = [
			['create', 1, await post('/api/v1/create', createBody({ type: 'fixed' }))],
			['create', 1, await post('/api/v1/create', createBody({ amount: '3' }), key)],
			['create', 1, await post('/api/v1/create', ' '.repeat(17 * 1024))],
			['create', 2, await call(service.current(), '/api/v1/create', createBody())],
			['create', 3, await post('/api/v1/create', createBody(), { apiSecret: 'another' })],
			['create', 5, await signed(service.current(), poor, '/api/v1/create', createBody())],
			['create', 7, await post('/api/v1/create', createBody({ amount: '0.0001' }))],
			['create', 8, await post('/api/v1/create', createBody({ amount: '1000000' }))],
			['order', 6, await post('/api/v1/order', { id, token: 'wrong' })],
			['emergency', 1, await post('/api/v1/emergency', { id, token, choice: 'EXCHANGE' })],
			['emergency', 12, await post('/api/v1/emergency', { id, token, choice: 'REFUND' })],
			['price', 3, await post('/api/v1/price', {}, { headers: { 'x-api-sign': null } })],
			['pairs', 1, await call(service.current(), '/api/v1/pairs', { some: 'filter' })],
		];
		for (const [name, code, answer] of refusals) {
			expect([name, answer.code]).toEqual([name, code]);
			expectPromised(`POST /api/v1/${name}`, answer);
		}
		expect(refusals.find(([, code]) => code === 5)?.[2].headers.get('retry-after')).toBe('60');
	});
});
