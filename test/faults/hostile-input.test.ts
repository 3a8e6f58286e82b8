/**
 * Thousands of wrong bodies, headers, methods, paths and connections against each operation of the OpenAPI document.
 * None gets a 99, none gets an answer without the envelope, and none changes state (book: contract, "Envelope and
 * transport": "Nothing a caller sends may produce code 99").
 */
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hostileBodies } from '../support/hostile.ts';
import { Caller, exchange, type HostileCall } from '../support/hostile-calls.ts';
import { hostileHeaders, signedHeaders, WRONG_IDEMPOTENCY_KEYS } from '../support/hostile-headers.ts';
import { BENT_PATHS, CUT_OFF, GARBLED, WRONG_METHODS } from '../support/hostile-requests.ts';
import { stateOf } from '../support/hostile-state.ts';
import {
	faultIn,
	isRead,
	mayChange,
	REQUEST_ID,
	rightBody,
	type Target,
	targetsOf,
} from '../support/hostile-target.ts';
import { readDocument } from '../support/openapi.ts';
import { create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { serviceForFile } from '../support/service.ts';

const service = serviceForFile();
/** Random bodies by fast-check per operation, in addition to every wrong value of every field. */
const DRAWN = 40;

let partner: Credentials;
let targets: readonly Target[] = [];
let caller: Caller;
let before: Record<string, string[]>;

beforeAll(async () => {
	const running = service.current();
	partner = await createPartner(running, { weightPerMinute: 1_000_000 });
	for (const code of ['code-on', 'code-off']) await signed(running, partner, '/api/v1/codes', { code });
	await signed(running, partner, '/api/v1/codes', { code: 'code-off' }, { method: 'DELETE' });
	const { data: order } = await create(running, partner);
	await running.operator('sandbox/deposit', { orders: [order.id], amount: '0.1' });
	await untilStatus(running, partner, order, 'EMERGENCY');
	const codes: Record<string, string> = { 'DELETE /api/v1/codes': 'code-on', 'POST /api/v1/codes/enable': 'code-off' };
	targets = targetsOf(await readDocument(running), (name) => ({ id: order.id, token: order.token, code: codes[name] }));
	caller = new Caller(running);
	before = await stateOf(running);
	expect(before['orders']).toHaveLength(1);
});

afterAll(() => caller?.close());

/** After each test: no state changed, nothing failed, and a right call is still answered. */
afterEach(async () => {
	const running = service.current();
	expect(await stateOf(running)).toEqual(before);
	const body = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' };
	expect((await signed(running, partner, '/api/v1/price', body)).code).toBe(0);
	expect(running.logged('request_failed')).toEqual([]);
});

/** One network may make sixty anonymous calls a minute. */
let anonymousCalls = 0;
function unsignedHeaders(): Record<string, string> {
	const network = Math.floor(anonymousCalls++ / 50);
	return { 'cf-connecting-ip': `10.${network >> 8}.${network & 255}.1` };
}

const callTo = (target: Target, what: string, bytes: Uint8Array, headers: HostileCall['headers']): HostileCall => {
	const { method, path } = target;
	return { name: `${method} ${path}, ${what}`.slice(0, 400), method, path, headers, bytes };
};

/** Makes the calls and checks each answer against the document and `isRight`. Returns the number of calls. */
async function drive(
	callsTo: (target: Target) => HostileCall[],
	isRight: (target: Target, status: number, code: number) => boolean,
): Promise<number> {
	let made = 0;
	for (const target of targets) {
		const calls = callsTo(target);
		made += calls.length;
		const wrong = (await caller.sendAll(calls)).flatMap((answer, i) => {
			const code = Number(/^\{"code":(\d+),/.exec(answer.text)?.[1]);
			const fault = faultIn(target, answer) ?? (isRight(target, answer.status, code) ? null : 'another answer');
			return fault ? [`${calls[i]?.name}: ${fault}: ${answer.status} ${answer.text.slice(0, 200)}`] : [];
		});
		expect(wrong).toEqual([]);
	}
	return made;
}

function bodiesFor(target: Target) {
	const bodies = hostileBodies(target.base ?? {}, target.fields, DRAWN);
	const hostile = bodies.filter(({ bytes }) => !mayChange(target, bytes));
	// Bodies that might be accepted are skipped. Were most of them skipped, this would test little.
	expect(hostile.length, target.name).toBeGreaterThan(bodies.length * 0.7);
	return hostile;
}

describe('a wrong body', () => {
	it('is refused with its own code, if the call is signed correctly', async () => {
		const made = await drive(
			(target) =>
				bodiesFor(target).map(({ name, bytes }) => callTo(target, name, bytes, signedHeaders(partner, bytes))),
			(target, status, code) => status !== 401 && status !== 429 && (code !== 0 || isRead(target)),
		);
		expect(made).toBeGreaterThan(5000);
	});

	it('is not read, if the call must be signed and is not', async () => {
		const made = await drive(
			(target) =>
				bodiesFor(target)
					.filter((_, i) => i % 4 === 0)
					.map(({ name, bytes }) => callTo(target, name, bytes, unsignedHeaders())),
			({ operation }, status, code) =>
				operation.responses[401]?.description.includes('2 AUTH_REQUIRED')
					? code === 2
					: status !== 401 && status !== 429,
		);
		expect(made).toBeGreaterThan(1250);
	});
});

describe('a strange body that may be right', () => {
	it('is accepted or refused, but never 99', async () => {
		const running = service.current();
		const other = await createPartner(running, { weightPerMinute: 1_000_000, maxRefCodes: 1000 });
		const made = await drive(
			(target) =>
				// After a rotation the old secret could sign no further calls.
				(target.path === '/api/v1/keys/rotate' ? [] : hostileBodies(target.base ?? {}, target.fields, DRAWN))
					.filter(({ bytes }) => mayChange(target, bytes))
					.map(({ name, bytes }) => callTo(target, name, bytes, signedHeaders(other, bytes))),
			(_, status) => status !== 401 && status !== 429,
		);
		expect(made).toBeGreaterThan(150);
		const after = await stateOf(running);
		expect(after['orders']?.length).toBeGreaterThan(1);
		const firstPartners = (rows: string[] = []) => rows.filter((row) => row.includes(partner.id));
		for (const name of ['partners', 'orders', 'reference_codes']) {
			expect(firstPartners(after[name])).toEqual(firstPartners(before[name]));
		}
		before = after;
	});
});

describe('wrong headers', () => {
	it('with a right body are never admitted', async () => {
		await drive(
			(target) =>
				hostileHeaders(partner, rightBody(target)).map(({ name, headers }) =>
					callTo(target, name, rightBody(target), headers),
				),
			(_, __, code) => code === 2 || code === 3,
		);
	});

	it('that claim another encoding do not change how the body is read', async () => {
		await drive(
			(target) =>
				['gzip', 'deflate', 'br', 'zstd', 'identity, gzip', 'x', ''].map((coding) => {
					const bytes = new Uint8Array(gzipSync(rightBody(target)));
					const more = { 'content-encoding': coding, 'content-type': `text/xml; charset=${coding}`, accept: coding };
					return callTo(target, `encoded: ${coding}`, bytes, { ...signedHeaders(partner, bytes), ...more });
				}),
			({ method }, _, code) => method === 'GET' || code === 1,
		);
	});

	it('as a malformed Idempotency-Key return code 1', async () => {
		await drive(
			(target) =>
				(target.path === '/api/v1/create' ? WRONG_IDEMPOTENCY_KEYS : []).map((key) => {
					const headers = { ...signedHeaders(partner, rightBody(target)), 'idempotency-key': key };
					return callTo(target, `key ${key}`, rightBody(target), headers);
				}),
			(_, __, code) => code === 1,
		);
	});
});

it('a wrong method is 405 with code 1, a wrong path 404 with code 6, signed or not', async () => {
	const paths = new Set(targets.map(({ path }) => path));
	const calls = targets.flatMap((target) => {
		const known = targets.filter(({ path }) => path === target.path).map(({ method }) => method);
		const methods = WRONG_METHODS.filter((method) => !known.includes(method)).map((method) => ({ ...target, method }));
		const bent = [...methods, ...BENT_PATHS.map((bend) => ({ ...target, path: bend(target.path) }))];
		return bent.flatMap((other) =>
			[signedHeaders(partner, rightBody(target)), unsignedHeaders()].map((headers) =>
				callTo(other, 'elsewhere', rightBody(target), headers),
			),
		);
	});
	const wrong = (await caller.sendAll(calls)).flatMap(({ status, requestId, text }, i) => {
		const { name = '', path = '' } = calls[i] ?? {};
		const refusal = paths.has(path) ? '405 {"code":1,"msg":"INVALID_REQUEST"}' : '404 {"code":6,"msg":"NOT_FOUND"}';
		const given = `${status} ${text}`;
		return given === refusal && REQUEST_ID.test(requestId ?? '') ? [] : [`${name}: ${given.slice(0, 200)}`];
	});
	expect(wrong).toEqual([]);
});

describe('a wrong connection', () => {
	it.each(GARBLED)('%s: refused, in the envelope', async (_, lines) => {
		for (const { method, path } of targets.filter((target) => target.method !== 'GET')) {
			const answer = await exchange(service.current(), lines(method, path));
			const [head = '', body = ''] = answer.split('\r\n\r\n').slice(-2);
			expect(head, path).toMatch(/x-request-id: /i);
			expect(JSON.parse(body), path).toMatchObject({ code: expect.toBeOneOf([1, 2]) });
		}
	});

	it.each(CUT_OFF)('%s: nobody waits for an answer, and it is not logged as our failure', async (_, lines) => {
		const cut = targets.map(({ method, path }) => exchange(service.current(), lines(method, path), { cut: true }));
		expect((await Promise.all(cut)).join()).not.toContain('"code":99');
	});
});
