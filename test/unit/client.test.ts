/** The client library by itself: signatures, webhooks, errors, retries and waiting, against a service that answers as it is told. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import type { currencySchema, pairSchema } from '../../src/catalog/schema.ts';
import type { createdOrderSchema, orderSchema, qrSchema } from '../../src/orders/schema.ts';
import type { referenceCodeSchema, rotatedSchema } from '../../src/partners/schema.ts';
import type { quoteSchema } from '../../src/pricing/schema.ts';
import {
	type Client,
	type ClientOptions,
	createClient,
	type Order,
	type OrderStatus,
	type PromiseError,
	sign,
	signedText,
	verifyPromise,
	verifyWebhook,
	WaitTimeoutError,
	type WebhookError,
} from '../../src/sdk/index.ts';
import { pauseAfter } from '../../src/sdk/retry.ts';
import vectors from '../../src/sdk/vectors.json' with { type: 'json' };
import { pauseSeconds } from '../../src/sdk/wait-for.ts';
import type { EVENTS } from '../../src/webhooks/events/events.ts';

const START = 1_795_176_000_000;

interface Sent {
	readonly url: string;
	readonly headers: Headers;
	readonly body: unknown;
}

type Told = Response | Error;

const ok = (data: unknown): Response => Response.json({ code: 0, msg: '', data });

const refusal = (code: number, status: number, headers: Record<string, string> = {}): Response =>
	Response.json({ code, msg: `MSG_${code}` }, { status, headers: { 'x-request-id': 'request-1', ...headers } });

/** A client whose service gives these answers, one after the other, and whose time passes only while it waits. */
function clientOf(answers: readonly Told[], options: Partial<ClientOptions> = {}) {
	const sent: Sent[] = [];
	const pauses: number[] = [];
	const left = [...answers];
	let now = START;
	const clock = {
		now: () => now,
		wait: async (milliseconds: number, signal?: AbortSignal) => {
			signal?.throwIfAborted();
			pauses.push(milliseconds);
			now += milliseconds;
		},
	};
	const client = createClient({
		url: 'https://api.example.com/',
		apiKey: 'pk_key',
		apiSecret: 'secret',
		clock,
		fetch: async (url, { headers, body }) => {
			sent.push({ url, headers: new Headers(headers), body });
			const answer = left.shift() ?? new Error('asked once too often');
			if (answer instanceof Error) throw answer;
			return answer;
		},
		...options,
	});
	return { client, sent, pauses };
}

const nonces = (sent: readonly Sent[]) => sent.map(({ headers }) => headers.get('x-api-nonce'));

const SWAP = {
	type: 'float',
	fromCcy: 'LTC',
	toCcy: 'ETH',
	direction: 'from',
	amount: '2',
	toAddress: 'a recipient',
	refundAddress: 'a refund address',
} as const;

it('has types that are those of the schemas', () => {
	expectTypeOf<Awaited<ReturnType<Client['currencies']>>>().toEqualTypeOf<z.output<typeof currencySchema>[]>();
	expectTypeOf<Awaited<ReturnType<Client['pairs']>>>().toEqualTypeOf<z.output<typeof pairSchema>[]>();
	expectTypeOf<Awaited<ReturnType<Client['price']>>>().toEqualTypeOf<z.output<typeof quoteSchema>>();
	expectTypeOf<Awaited<ReturnType<Client['create']>>>().toEqualTypeOf<z.output<typeof createdOrderSchema>>();
	expectTypeOf<Awaited<ReturnType<Client['order']>>>().toEqualTypeOf<z.output<typeof orderSchema>>();
	expectTypeOf<Awaited<ReturnType<Client['qr']>>>().toEqualTypeOf<z.output<typeof qrSchema>>();
	expectTypeOf<Awaited<ReturnType<Client['listCodes']>>>().toEqualTypeOf<z.output<typeof referenceCodeSchema>[]>();
	expectTypeOf<Awaited<ReturnType<Client['rotateKeys']>>>().toEqualTypeOf<z.output<typeof rotatedSchema>>();
	type Event = z.output<(typeof EVENTS)[number]['schema']>;
	expectTypeOf<Awaited<ReturnType<typeof verifyWebhook>>>().toEqualTypeOf<Event>();
	const { client } = clientOf([]);
	expect(Object.values(client).every((method) => typeof method === 'function')).toBe(true);
});

it.each(['http://api.example.com', 'http://10.0.0.7:8787', 'http://localhost.example.com', 'ftp://api.example.com'])(
	'refuses %s: tokens and secrets would travel in clear',
	(url) => {
		expect(() => createClient({ url })).toThrow('is no https: address');
	},
);

it.each(['https://api.example.com', 'http://127.0.0.1:8787', 'http://localhost:8787', 'http://[::1]:8787'])(
	'takes %s',
	async (url) => {
		const { client, sent } = clientOf([ok([])], { url });
		await client.currencies();
		expect(sent[0]?.url).toBe(`${url}/api/v1/currencies`);
	},
);

describe('the signing vectors', () => {
	it.each(vectors.requests)('$name: the library signs this text, to this signature', async (vector) => {
		expect(signedText(vector)).toBe(vector.text);
		expect(Buffer.from(vector.text).toString('hex')).toBe(vector.textHex);
		expect(await sign(vector.apiSecret, vector)).toBe(vector.signature);
	});

	it.each(vectors.webhooks)('webhook, $name: $result', async ({ body, signature, timestamp, secrets, now, result }) => {
		const headers = { 'X-Partner-Webhook-Sign': signature, 'X-Partner-Webhook-Timestamp': timestamp };
		const verdict = await verifyWebhook(body, headers, secrets, { now: now * 1000 }).then(
			() => 'authentic',
			(error: unknown) => (error as WebhookError).reason,
		);
		expect(verdict).toBe(result);
	});

	it.each([...vectors.promises, ...vectors.promiseKeys])('promise, $name: $result', async (vector) => {
		const published = 'published' in vector ? vector.published : null;
		const { promise, trusted, expected, result } = vector;
		const verdict = verifyPromise(promise, { trusted, published, expected }).then(
			() => 'authentic',
			({ reason }: PromiseError) => reason,
		);
		expect(await verdict).toBe(result);
	});

	it.each(vectors.standardWebhooks)('Standard Webhooks, $name: $result', async (vector) => {
		const { id, timestamp, body, signature, secrets, now, result } = vector;
		// Beside ours, which would pass: the one that signs the time counts.
		const own = { 'x-partner-webhook-sign': vectors.webhooks[0]?.signature, 'x-partner-webhook-timestamp': timestamp };
		const headers = { ...own, 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
		const verdict = await verifyWebhook(body, headers, secrets, { now: now * 1000 }).then(
			() => 'authentic',
			(error: unknown) => (error as WebhookError).reason,
		);
		expect(verdict).toBe(result);
	});
});

describe('verifyWebhook', () => {
	const [event] = vectors.webhooks;
	const { body = '', signature = '', timestamp = '', secrets = [] } = event ?? {};
	const now = Number(timestamp) * 1000;
	const verify = (headers: Record<string, string>, text = body) =>
		verifyWebhook(new TextEncoder().encode(text), new Headers(headers), secrets, { now }).catch(
			(error: unknown) => (error as WebhookError).reason,
		);

	it('takes bytes and the headers of fetch', async () => {
		const headers = { 'x-partner-webhook-sign': signature, 'x-partner-webhook-timestamp': timestamp };
		expect(await verify(headers)).toEqual(JSON.parse(body));
		const ofNode = { 'x-partner-webhook-sign': [signature], 'x-partner-webhook-timestamp': timestamp };
		expect((await verifyWebhook(body, ofNode, secrets, { now })).type).toBe('partner.paid_out');
	});

	it('says of a body that was parsed before that it needs the bytes, and takes no empty secret', async () => {
		const parsed = JSON.parse(body) as string;
		await expect(verifyWebhook(parsed, {}, secrets)).rejects.toThrow('give the raw bytes');
		await expect(verifyWebhook(undefined as unknown as string, {}, secrets)).rejects.toThrow('give the raw bytes');
		for (const empty of ['', ['new', ''], undefined as unknown as string])
			await expect(verifyWebhook(body, {}, empty)).rejects.toThrow('a webhookSecret is empty');
	});

	it.each([
		['no signature', { 'x-partner-webhook-timestamp': timestamp }],
		['no timestamp', { 'x-partner-webhook-sign': signature }],
		['a short signature', { 'x-partner-webhook-sign': signature.slice(2), 'x-partner-webhook-timestamp': timestamp }],
		['a timestamp that is no number', { 'x-partner-webhook-sign': signature, 'x-partner-webhook-timestamp': 'now' }],
	])('refuses %s', async (_, headers: Record<string, string>) => {
		expect(await verify(headers)).toBe('header-missing');
	});
});

describe('a call', () => {
	it('names each refusal by the family of its code', async () => {
		const families: readonly (readonly [codes: number[], name: string])[] = [
			[[1, 12], 'InvalidRequestError'],
			[[2, 3, 4], 'AuthError'],
			[[6], 'NotFoundError'],
			[[7, 8, 13], 'LimitError'],
			[[14], 'ConflictError'],
			[[77], 'RefusedError'],
		];
		for (const [codes, name] of families) {
			for (const code of codes) {
				const { client, sent } = clientOf([refusal(code, 400)]);
				const error = await client.price(SWAP).catch((refused: unknown) => refused);
				expect((error as Error).constructor.name).toBe(name);
				const facts = { code, name: `MSG_${code}`, status: 400, requestId: 'request-1', retryAfterSeconds: null };
				expect(error).toMatchObject(facts);
				expect(sent).toHaveLength(1);
			}
		}
	});

	it('is tried again where nothing was carried out, as long as Retry-After says', async () => {
		const answers = [refusal(5, 429, { 'retry-after': '7' }), refusal(11, 503, { 'retry-after': '10' }), ok(true)];
		const { client, sent, pauses } = clientOf(answers);
		expect(await client.emergency({ id: 'id', token: 'token', choice: 'EXCHANGE' })).toBe(true);
		expect(pauses).toEqual([7000, 10_000]);
		expect(new Set(nonces(sent)).size).toBe(3);
	});

	it('leaves a long Retry-After to the caller', async () => {
		const { client, pauses } = clientOf([refusal(10, 503, { 'retry-after': '60' }), ok([])]);
		await expect(client.pairs()).rejects.toMatchObject({ code: 10, retryAfterSeconds: 60 });
		expect(pauses).toEqual([]);
	});

	it('create is repeated after lost answers, with one idempotency key and new nonces', async () => {
		const gone = new TypeError('fetch failed');
		const { client, sent, pauses } = clientOf([
			gone,
			new Response('bad gateway', { status: 502 }),
			refusal(99, 500),
			ok(1),
		]);
		await client.create(SWAP);
		expect(pauses).toHaveLength(3);
		expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
		expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
		expect(new Set(nonces(sent)).size).toBe(4);
	});

	it('that must not be carried out twice is not repeated after a lost answer', async () => {
		for (const lost of [new TypeError('fetch failed'), new Response('<html>', { status: 502 })]) {
			const { client, sent } = clientOf([lost]);
			await expect(client.createCode({ code: 'summer' })).rejects.toMatchObject({
				name: 'NetworkError',
				reason: lost instanceof Error ? 'unreachable' : 'not-an-answer',
			});
			expect(sent).toHaveLength(1);
		}
		const { client } = clientOf([refusal(99, 500)]);
		await expect(client.rotateKeys({ rotate: ['apiSecret'] })).rejects.toMatchObject({ code: 99 });
	});

	it('gives up after as many retries as are set', async () => {
		const { client, sent } = clientOf(
			Array.from({ length: 9 }, () => refusal(99, 500)),
			{ retries: 2 },
		);
		await expect(client.pairs()).rejects.toMatchObject({ name: 'MSG_99' });
		expect(sent).toHaveLength(3);
	});

	it('ends with the caller’s own reason when they abort it', async () => {
		const aborting = new AbortController();
		const reason = new Error('the user left');
		const fetch = async () => {
			aborting.abort(reason);
			throw new TypeError('fetch failed');
		};
		const { client } = clientOf([], { fetch });
		await expect(client.pairs({}, { signal: aborting.signal })).rejects.toBe(reason);
	});

	it('says that no answer came in time', async () => {
		const fetch = (_: string, { signal }: RequestInit) =>
			new Promise<Response>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
		const { client } = clientOf([], { fetch, timeoutSeconds: 0.01, retries: 0 });
		await expect(client.pairs()).rejects.toMatchObject({ name: 'NetworkError', reason: 'timeout', status: null });
	});

	it('signs by the service’s clock after a code 3 that a wrong clock explains, and only then', async () => {
		const date = new Date(START + 3_600_000).toUTCString();
		const skewed = clientOf([refusal(3, 401, { date }), ok([]), ok([])]);
		await skewed.client.pairs();
		await skewed.client.pairs();
		const times = skewed.sent.map(({ headers }) => Number(headers.get('x-api-timestamp')) - START / 1000);
		expect(times).toEqual([0, 3600, 3600]);
		expect(new Set(nonces(skewed.sent)).size).toBe(3);
		const wrong = clientOf([refusal(3, 401, { date }), refusal(3, 401, { date })]);
		await expect(wrong.client.pairs()).rejects.toMatchObject({ code: 3 });
		const inTime = clientOf([refusal(3, 401, { date: new Date(START).toUTCString() })]);
		await expect(inTime.client.pairs()).rejects.toMatchObject({ code: 3 });
		expect([wrong.sent.length, inTime.sent.length]).toEqual([2, 1]);
	});

	it('signs with a rotated apiSecret from then on', async () => {
		const { client, sent } = clientOf([ok({ apiSecret: 'a new secret' }), ok([])]);
		await client.rotateKeys({ rotate: ['apiSecret'] });
		await client.listCodes();
		const { headers } = sent[1] as Sent;
		const [nonce, timestamp] = [headers.get('x-api-nonce') ?? '', headers.get('x-api-timestamp')];
		expect(headers.get('x-api-sign')).toBe(await sign('a new secret', { body: '', nonce, timestamp }));
		expect((sent[1] as Sent).body).toBeUndefined();
	});

	it('remembers what the service said of the weight budget', async () => {
		const answer = Response.json(
			{ code: 0, msg: '', data: [] },
			{ headers: { 'x-budget-limit': '2500', 'x-budget-remaining': '2449' } },
		);
		const { client } = clientOf([answer]);
		expect(client.budget()).toBeNull();
		await client.pairs();
		expect(client.budget()).toEqual({ limit: 2500, remaining: 2449 });
	});
});

describe('waitFor', () => {
	const orderOf = (status: OrderStatus, left = 0) => ({ id: 'id', status, time: { left } }) as Order;
	const handle = { id: 'id', token: 'token' };

	it('reads until the order is done, says each change once, and waits out transient failures', async () => {
		const seen: string[] = [];
		const states = [
			orderOf('NEW', 3600),
			orderOf('NEW', 200),
			orderOf('PENDING'),
			orderOf('EXCHANGE'),
			orderOf('DONE'),
		];
		const failures: Told[] = [new TypeError('fetch failed'), refusal(11, 503), new Response('no', { status: 502 })];
		const [first, ...rest] = states.map(ok);
		const { client, pauses } = clientOf([first as Response, ...failures, ...rest], { retries: 0 });
		const order = await client.waitFor(handle, { onStatus: ({ status }) => seen.push(status) });
		expect(order.status).toBe('DONE');
		expect(seen).toEqual(['NEW', 'PENDING', 'EXCHANGE', 'DONE']);
		expect(pauses.slice(0, 5)).toEqual([60_000, 60_000, 60_000, 60_000, 30_000]);
	});

	it.each([
		['PENDING', 'EXCHANGE', true],
		['EXCHANGE', 'PENDING', false],
		['PENDING', 'EMERGENCY', false],
		['PENDING', 'EXPIRED', true],
		['EXCHANGE', 'DONE', true],
		[undefined, 'EMERGENCY', true],
	] as const)('until %s: %s ends it: %s', async (until, status, ends) => {
		const { client, sent } = clientOf([ok(orderOf(status)), ok(orderOf('DONE'))]);
		await client.waitFor(handle, { until });
		expect(sent).toHaveLength(ends ? 1 : 2);
	});

	it('ends with the last order when it has waited long enough', async () => {
		const { client } = clientOf(Array.from({ length: 9 }, () => ok(orderOf('PENDING'))));
		const error = await client.waitFor(handle, { timeoutSeconds: 70 }).catch((late: unknown) => late);
		expect(error).toBeInstanceOf(WaitTimeoutError);
		expect(error).toMatchObject({ order: { status: 'PENDING' } });
	});

	it('passes on what a later read cannot change, and refuses an order without its token', async () => {
		const { client } = clientOf([refusal(6, 404)]);
		await expect(client.waitFor(handle)).rejects.toMatchObject({ code: 6 });
		await expect(client.waitFor({ id: 'id', token: null })).rejects.toThrow('without its token');
	});

	it('meets the end of the deposit window', () => {
		expect([3600, 601, 600, 31, 12, 0].map((left) => pauseSeconds(orderOf('NEW', left)))).toEqual([
			60, 60, 30, 30, 13, 1,
		]);
		expect(pauseSeconds(orderOf('EXCHANGE', 3600))).toBe(30);
	});
});

it('pauses double, and are drawn between half and whole', () => {
	const error = new Error('any');
	expect([0, 1, 2, 9].map((attempt) => pauseAfter(error, attempt, 1))).toEqual([500, 1000, 2000, 20_000]);
	expect(pauseAfter(error, 1, 0)).toBe(500);
});
