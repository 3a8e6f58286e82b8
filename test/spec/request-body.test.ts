/** Bodies that are too large, not JSON, or hostile (book: contract, "Errors", "Envelope and transport"). */
import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBody } from '../support/orders.ts';
import { type Answer, createPartner, signed } from '../support/partner.ts';
import { surface, validBody } from '../support/refusals.ts';
import { eventually, sharedService } from '../support/service.ts';
import { callsForFile, expectFailure, MAX_BODY_BYTES, PRICE } from '../support/transport.ts';

const service = sharedService();
const { partner, anonymous, sign } = callsForFile(service);

const paths = [...new Set(surface.map(({ path }) => path))];

/** Where more bodies were refused in a minute than the log has lines for, the next minute has lines again. */
const LOG_MILLISECONDS = 90_000;

// First, because the tests below refuse so many.
it('a body that misses a field is named in the log by that field, in one line', async () => {
	const { refundAddress: _, ...body } = createBody();
	const requestIds = new Set<unknown>();
	const ofThese = async () => {
		const answer = await sign('/api/v1/create', JSON.stringify(body));
		expectFailure(answer, 400, 1, 'INVALID_REQUEST');
		requestIds.add(answer.headers.get('x-request-id'));
		return service
			.current()
			.logged('refused')
			.find(({ requestId }) => requestIds.has(requestId));
	};
	const line = await eventually('the log line', ofThese, LOG_MILLISECONDS);
	expect(line).toMatchObject({ kind: 'body-invalid', reason: expect.stringMatching(/^refundAddress: [^\n{[]+$/) });
});

describe('a body over 16 KiB: HTTP 413, code 1', () => {
	const padded = (size: number) => {
		const head = JSON.stringify({ ...PRICE, padding: '' });
		return JSON.stringify({ ...PRICE, padding: 'x'.repeat(size - head.length) });
	};
	/** Sends chunks of 1000 bytes on a separate connection. */
	const chunked = (path: string, text: string, more: readonly string[] = []): Promise<string> => {
		const chunks = text.match(/.{1,1000}/gs) ?? [];
		const head = [`POST ${path} HTTP/1.1`, 'Host: test', 'CF-Connecting-IP: 198.51.100.1', ...more];
		const body = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
		return rawExchange(
			`${head.join('\r\n')}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body}0\r\n\r\n`,
		);
	};
	const tooLarge = /^HTTP\/1\.1 413 [\s\S]*\{"code":1,"msg":"INVALID_REQUEST"\}$/;

	it('16 KiB is accepted, a byte more is not', async () => {
		expect((await anonymous('/api/v1/price', padded(MAX_BODY_BYTES))).code).toBe(0);
		expectFailure(await anonymous('/api/v1/price', padded(MAX_BODY_BYTES + 1)), 413, 1, 'INVALID_REQUEST');
		expect((await sign('/api/v1/price', padded(MAX_BODY_BYTES))).code).toBe(0);
	});

	it('also without Content-Length', async () => {
		expect(await chunked('/api/v1/price', padded(MAX_BODY_BYTES))).toContain('{"code":0,');
		expect(await chunked('/api/v1/price', padded(MAX_BODY_BYTES + 1))).toMatch(tooLarge);
		expect(await chunked('/api/v1/price', padded(60_000))).toMatch(tooLarge);
	});

	it.each(surface.filter(({ method }) => method !== 'GET'))('$method $path', async (endpoint) => {
		const large = `${validBody(endpoint)}${' '.repeat(MAX_BODY_BYTES)}`;
		expectFailure(await sign(endpoint.path, large), 413, 1, 'INVALID_REQUEST');
		const unsigned = await anonymous(endpoint.path, large);
		if (endpoint.auth === 'required') expectFailure(unsigned, 401, 2, 'AUTH_REQUIRED');
		else expectFailure(unsigned, 413, 1, 'INVALID_REQUEST');
	});

	it('is checked after the headers, also far above the limit: 2 without them, 3 when they are wrong', async () => {
		const partner = await createPartner(service.current());
		for (const size of [20_000, 1_000_000]) {
			const large = padded(size);
			expectFailure(await anonymous('/api/v1/create', large), 401, 2, 'AUTH_REQUIRED');
			const headers = { 'x-api-nonce': 'short' };
			expectFailure(
				await signed(service.current(), partner, '/api/v1/create', large, { headers }),
				401,
				3,
				'AUTH_INVALID',
			);
		}
		const forged = await signed(service.current(), partner, '/api/v1/create', padded(20_000), { apiSecret: 'x' });
		expectFailure(forged, 401, 3, 'AUTH_INVALID');
	});

	it('costs its weight like any call, and a stranger cannot spend it', async () => {
		const partner = await createPartner(service.current(), { weightPerMinute: 60 });
		const send = (size: number, bend = {}) =>
			signed(service.current(), partner, '/api/v1/create', padded(size), {
				...bend,
				headers: { 'cf-connecting-ip': '198.18.7.1' },
			});
		// Signed by a stranger, or too large to verify: nothing of the partner's budget is spent.
		expectFailure(await send(20_000, { apiSecret: 'x' }), 401, 3, 'AUTH_INVALID');
		expectFailure(await send(1_000_000, { apiSecret: 'x' }), 413, 1, 'INVALID_REQUEST');
		expectFailure(await send(20_000), 413, 1, 'INVALID_REQUEST');
		expectFailure(await send(20_000), 429, 5, 'RATE_LIMIT');
	});

	it('costs an anonymous call of its network when the partner cannot be verified', async () => {
		const partner = await createPartner(service.current());
		const headers = { 'cf-connecting-ip': '198.18.8.1' };
		const answers = [];
		for (let i = 0; i < 61; i++) answers.push(await anonymous('/api/v1/price', padded(20_000), { headers }));
		expectFailure(answers[59] as Answer, 413, 1, 'INVALID_REQUEST');
		expectFailure(answers[60] as Answer, 429, 5, 'RATE_LIMIT');
		const unverifiable = await signed(service.current(), partner, '/api/v1/price', padded(300_000), { headers });
		expectFailure(unverifiable, 429, 5, 'RATE_LIMIT');
	});

	it('a false Content-Length with a chunked body does not admit a larger body', async () => {
		const answer = await chunked('/api/v1/price', padded(MAX_BODY_BYTES + 1), ['Content-Length: 2']);
		expect(answer).toMatch(/^HTTP\/1\.1 4(00|13) /);
		expect(answer).not.toContain('"code":0');
	});
});

describe('a body that is not valid JSON → 1', () => {
	const utf8 = (text: string) => new TextEncoder().encode(text);
	const joined = (...parts: (string | readonly number[])[]): Uint8Array<ArrayBuffer> =>
		new Uint8Array(parts.flatMap((part) => (typeof part === 'string' ? [...utf8(part)] : part)));
	const inside = (bytes: readonly number[]) => joined('{"type":"float","fromCcy":"LTC', bytes, '"}');
	const depth = (open_: string, close: string) => {
		const levels = Math.floor((MAX_BODY_BYTES - 1) / (open_.length + close.length));
		return `${open_.repeat(levels)}1${close.repeat(levels)}`;
	};

	const BODIES: readonly [string, string | Uint8Array<ArrayBuffer>][] = [
		['cut off', '{"type":"float"'],
		['not JSON', 'type=float&fromCcy=LTC'],
		['single quotes', "{'type':'float'}"],
		['a trailing comma', '{"type":"float",}'],
		['two objects', '{}{}'],
		['null', 'null'],
		['a number', '1'],
		['a string', '"float"'],
		['an array', '[{}]'],
		['true', 'true'],
		['white space', ' \n'],
		['a byte order mark', joined([0xef, 0xbb, 0xbf], JSON.stringify(PRICE))],
		['a byte that is not UTF-8', inside([0xff])],
		['a cut-off sequence', inside([0xe2, 0x82])],
		['an overlong sequence', inside([0xc0, 0xaf])],
		['a surrogate in UTF-8', inside([0xed, 0xa0, 0x80])],
		['UTF-16', new Uint8Array(Buffer.from(JSON.stringify(PRICE), 'utf16le'))],
		['a raw NUL', inside([0])],
		['nothing but NULs', new Uint8Array(100)],
		['arrays as deep as 16 KiB allows', depth('[', ']')],
		['objects as deep as 16 KiB allows', depth('{"amount":', '}')],
		['an unclosed depth', '['.repeat(MAX_BODY_BYTES)],
		['depth inside a field', JSON.stringify(PRICE).replace('"2"', depth('[', ']').slice(4000, -4000))],
		['fields by way of __proto__', `{"__proto__":${JSON.stringify(PRICE)}}`],
	];

	const OBJECTS = ['objects as deep as 16 KiB allows', 'fields by way of __proto__'];
	const NO_FIELD_NEEDED = [
		'/api/v1/orders',
		'/api/v1/earnings',
		'/api/v1/webhooks/test',
		'/api/v1/webhooks/deliveries',
	];

	/** All endpoints read their body with the same function: one tries every body, and each of the others a few. */
	const FEW = ['cut off', 'an array', 'a byte that is not UTF-8'];

	it.each(surface.filter(({ method }) => method !== 'GET').map(({ path }) => path))('%s', async (path) => {
		const tried = path === '/api/v1/price' ? BODIES : BODIES.filter(([what]) => [...FEW, ...OBJECTS].includes(what));
		// Objects without a field that this endpoint knows are wrong only where a field must be there.
		const wrong = tried.filter(([what]) => !NO_FIELD_NEEDED.includes(path) || !OBJECTS.includes(what));
		for (const [what, body] of wrong) {
			const answer = await sign(path, body);
			expect([what, answer.text]).toEqual([what, '{"code":1,"msg":"INVALID_REQUEST"}']);
			expect(answer.status).toBe(400);
		}
	});

	it.each(['\\u0000', '\\ud800', '\\udfff\\ud800', '\\uffff', '\u{1f600}', '\\u202e', "'; DROP TABLE orders; --"])(
		'nor for any field that contains %s',
		async (text) => {
			for (const [path, template] of [
				['/api/v1/price', PRICE],
				['/api/v1/create', createBody()],
			] as const) {
				for (const field of Object.keys(template)) {
					const body = JSON.stringify(template).replace(
						`"${field}":"${(template as Record<string, unknown>)[field]}"`,
						`"${field}":"${(template as Record<string, unknown>)[field]}${text}"`,
					);
					expect(body).toContain(text);
					const answer = await sign(path, body);
					expect([field, answer.text]).toEqual([field, '{"code":1,"msg":"INVALID_REQUEST"}']);
				}
			}
		},
	);
});

describe('nothing a caller sends may produce code 99', () => {
	it('a duplicate field is read once', async () => {
		const twice = (field: string, first: string, second: string) =>
			JSON.stringify(PRICE)
				.replace(/"type"/, `"${field}":${first},"${field}":${second},"type"`)
				.replace(`"${field}":"2"`, '"x":1');
		const { code, data } = await sign('/api/v1/price', twice('amount', '"1"', '"3"'));
		expect(code).toBe(0);
		expect((data as { from: { amount: string } }).from.amount).toBe('3');
		expect((await sign('/api/v1/price', twice('amount', '"1"', '"x"'))).code).toBe(1);
	});

	const anything = fc.oneof(
		{ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
		fc.string({ unit: 'binary', maxLength: 50 }),
		fc.constantFrom<unknown>(-0, 1e308, -1, 2 ** 53, 0.1, 1e-7, '1e5', '0x1', '٣', 'NaN', '00', '9'.repeat(40), {}, []),
	);

	it.each([
		['/api/v1/price', PRICE, [0, 1]],
		[
			'/api/v1/create',
			createBody({ tag: null, afftax: 0, fromNetwork: 'Litecoin', toNetwork: 'Ethereum' }),
			[0, 1, 7, 8],
		],
		['/api/v1/order', { id: '7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce', token: 'x'.repeat(43) }, [1, 6]],
	] as const)('%s, whatever one or two of its fields contain', async (path, valid, codes) => {
		const field = fc.constantFrom(...Object.keys(valid));
		await fc.assert(
			fc.asyncProperty(fc.array(fc.tuple(field, anything), { minLength: 1, maxLength: 2 }), async (bent) => {
				const answer = await sign(path, { ...valid, ...Object.fromEntries(bent) });
				expect(codes).toContain(answer.code);
			}),
			{ numRuns: 60 },
		);
	});

	it('whatever the bytes are', async () => {
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...paths), fc.uint8Array({ maxLength: 200 }), async (path, bytes) => {
				const answer = await sign(path, new Uint8Array(bytes));
				// An operation of a public sandbox is unknown elsewhere.
				expect(path.startsWith('/api/v1/sandbox/') ? [0, 1, 6] : [0, 1]).toContain(answer.code);
			}),
			{ numRuns: 100 },
		);
	});

	it.each(['-0', '1e2', '100.0'])('afftax written %s is read as its integer value', async (afftax) => {
		const bodies = [
			['/api/v1/price', PRICE],
			['/api/v1/create', createBody()],
		] as const;
		for (const [path, body] of bodies) {
			const answer = await sign(path, JSON.stringify(body).replace(/}$/, `,"afftax":${afftax}}`));
			expect(answer.code).toBe(0);
			expect(answer.text).toContain(`"markupBps":${Number(afftax) || 0}`);
		}
	});

	it.each([
		['an empty code segment and no key', { 'x-api-key': '.' }],
		['an empty apiKey', { 'x-api-key': '' }],
		['a signature of NULs', { 'x-api-sign': '0' }],
		['bytes above ASCII', { 'x-api-nonce': 'é'.repeat(16) }],
		['a huge timestamp', { 'x-api-timestamp': '9'.repeat(15) }],
		['a huge Idempotency-Key', { 'idempotency-key': 'k'.repeat(4000) }],
		['a foreign Content-Type', { 'content-type': 'multipart/form-data; boundary=x' }],
		['a foreign Content-Encoding', { 'content-encoding': 'gzip' }],
	])('headers: %s', async (_, headers) => {
		for (const endpoint of surface.filter(({ path }) =>
			['/api/v1/price', '/api/v1/create', '/api/v1/codes'].includes(path),
		)) {
			const answer = await signed(service.current(), partner(), endpoint.path, validBody(endpoint), { headers });
			expect(answer.code).toSatisfy((code: number) => code >= 0 && code < 99);
			expect(answer.status).toBeLessThan(500);
		}
	});

	it('Content-Type is not required', async () => {
		const headers = { 'content-type': null };
		expect((await signed(service.current(), partner(), '/api/v1/price', PRICE, { headers })).code).toBe(0);
	});

	it('unknown body fields are ignored', async () => {
		const more = { extra: 1, data: null, constructor: 'x', toString: [] };
		expect((await sign('/api/v1/price', { ...PRICE, ...more })).code).toBe(0);
		expect((await sign('/api/v1/create', createBody(more))).code).toBe(0);
	});
});

/** Sends exactly these bytes and reads until the server closes. */
function rawExchange(text: string): Promise<string> {
	const { hostname, port } = new URL(service.current().url);
	return new Promise((done, failed) => {
		const socket = connect(Number(port), hostname);
		let answer = '';
		socket.setTimeout(10_000, () => socket.destroy());
		socket.on('data', (chunk) => {
			answer += chunk;
		});
		// The server may close the connection of a refused client before it has sent everything.
		socket.on('error', (error) => answer || failed(error));
		socket.on('close', () => done(answer));
		socket.write(text);
	});
}
