/**
 * Calls that share a trip to the gate or to D1 (book: architecture, "Shared trips"), in the real runtime: each gets its own
 * answer, whatever becomes of those that it travels with.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { API_WORKER, type LocalWorkers } from '../../src/local/workers.ts';
import { hmac } from '../cast/signing.ts';
import { databasePath } from '../support/object-storage.ts';
import { type CreatedOrder, create, createBody, ETH_RECIPIENT, LTC_REFUND } from '../support/orders.ts';
import { type Answer, type Bend, type Credentials, createPartner, newNonce, signed } from '../support/partner.ts';
import { eventually, serviceForFile, sharedService, type TestService } from '../support/service.ts';

const CALLS = 40;
const BUSY_MILLISECONDS = 10_000;
/** After so long a trip counts as lost, and its callers are told so (`src/platform/joined.ts`). */
const LOST_MILLISECONDS = 10_000;
const service = sharedService();
let partner: Credentials;
beforeAll(async () => {
	partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
	// From its first verdict on the isolate knows that the gate takes several calls at once.
	expect((await price(0)).code).toBe(0);
});

interface Priced {
	readonly from: { readonly amount: string };
}

const BODY = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from' };
const amountOf = (i: number): string => `2.${String(100 + i)}1`;
const price = (i: number, bend: Bend = {}): Promise<Answer<Priced>> =>
	signed(service.current(), partner, '/api/v1/price', { ...BODY, amount: amountOf(i) }, bend);
const atOnce = <T>(make: (i: number) => Promise<T>): Promise<T[]> =>
	Promise.all(Array.from({ length: CALLS }, (_, i) => make(i)));

it('of forty calls at once each has its own answer: its price, its order, its refusal', async () => {
	const prices = await atOnce((i) => price(i));
	expect(prices.map(({ code, data }) => [code, data?.from.amount])).toEqual(prices.map((_, i) => [0, amountOf(i)]));

	const orders: CreatedOrder[] = [];
	for (let i = 0; i < 4; i++) orders.push((await create(service.current(), partner)).data);
	const stranger = await createPartner(service.current());
	const answers = await atOnce((i) => {
		const { id, token } = orders[i % orders.length] as CreatedOrder;
		const wrongToken = orders[(i + 1) % orders.length]?.token;
		const by = i % 5 === 4 ? stranger : partner;
		return signed(service.current(), by, '/api/v1/order', { id, token: i % 5 === 3 ? wrongToken : token });
	});
	expect(answers.map(({ code, data }) => [code, data?.['id']])).toEqual(
		answers.map((_, i) => (i % 5 < 3 ? [0, orders[i % orders.length]?.id] : [6, undefined])),
	);
});

it('of forty creates at once each has its own answer: an order, that of its key, or why there is none', async () => {
	const by = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
	const fromEther = { fromCcy: 'ETH', toCcy: 'LTC', amount: '1', toAddress: LTC_REFUND, refundAddress: ETH_RECIPIENT };
	const { data: own } = await create(service.current(), by, fromEther);
	const before = await rowsOf(by);
	const key = newNonce();
	const answers = await atOnce(async (i) => {
		const headers: Record<string, string> = i % 4 === 0 ? { 'idempotency-key': key } : {};
		// Every tenth pays to a pay-in address of ours, which D1 refuses with all that is written together with it.
		const body = createBody(i % 10 === 5 ? { toAddress: own.from.address } : { amount: amountOf(i % 4 === 0 ? 0 : i) });
		return signed<CreatedOrder>(service.current(), by, '/api/v1/create', body, { headers });
	});
	const kindOf = (i: number) => (i % 10 === 5 ? 'refused' : i % 4 === 0 ? 'keyed' : 'alone');
	const of = (kind: string) => answers.filter((_, i) => kindOf(i) === kind);
	expect(of('refused').map(({ code, text }) => [code, text])).toEqual(
		of('refused').map(() => [1, '{"code":1,"msg":"INVALID_REQUEST"}']),
	);
	expect(new Set(of('keyed').map(({ code, data }) => `${code} ${data?.id}`)).size).toBe(1);
	expect(of('keyed').filter(({ data }) => data?.token).length).toBe(1);
	for (const [i, { code, data }] of answers.entries())
		if (kindOf(i) === 'alone')
			expect([code, data?.from.amount, data?.token]).toEqual([0, amountOf(i), expect.any(String)]);
	const ids = answers.flatMap(({ data }) => data?.id ?? []);
	const addresses = new Set(answers.flatMap(({ data }) => data?.from.address ?? []));
	expect([new Set(ids).size, addresses.size]).toEqual([of('alone').length + 1, of('alone').length + 1]);
	expect((await rowsOf(by)) - before).toBe(of('alone').length + 1);
});

const rowsOf = async ({ id }: Credentials): Promise<number> => {
	const [row] = await service
		.current()
		.sql<{ rows: number }>('SELECT count(*) AS rows FROM orders WHERE partner_id = ?', id);
	return row?.rows ?? 0;
};

it('of calls at once with one nonce one is admitted', async () => {
	const nonce = newNonce();
	const codes = (await atOnce((i) => price(i, { nonce }))).map(({ code }) => code);
	expect(codes.toSorted()).toEqual([0, ...Array.from({ length: CALLS - 1 }, () => 3)]);
});

it('callers who go away take no others with them', async () => {
	for (let round = 0; round < 6; round++) {
		const answers = await atOnce(async (i) => {
			const isGone = i % 2 === 0;
			const gone = new AbortController();
			const answer = price(i, { signal: gone.signal });
			if (isGone) setTimeout(() => gone.abort(), round * 4 + i / 4);
			return answer.catch((error: unknown) => {
				if (!isGone) throw error;
				return null;
			});
		});
		for (const [i, answer] of answers.entries())
			if (i % 2 === 1) expect([answer?.code, answer?.data?.from.amount]).toEqual([0, amountOf(i)]);
	}
});

/** The storage of the partner's gate: a file that is named by the object's id. */
async function gateStorage(): Promise<DatabaseSync> {
	const gate = { worker: API_WORKER, binding: 'PARTNER_GATE', className: 'PartnerGate', name: partner.id } as const;
	// The gate may be writing: SQLite waits for it instead of failing at once.
	return new DatabaseSync(await databasePath(service.current(), gate), { timeout: BUSY_MILLISECONDS });
}

it('where the gate cannot store its nonces all are told so, and the same calls are admitted once it can', async () => {
	const nonces = Array.from({ length: CALLS }, () => newNonce());
	const storage = await gateStorage();
	storage.exec('BEGIN IMMEDIATE');
	const failed = await atOnce((i) => price(i, { nonce: nonces[i] ?? '' }));
	storage.exec('ROLLBACK');
	storage.close();
	expect(failed.map(({ code }) => code)).toEqual(nonces.map(() => 99));
	// The gate begins again.
	await eventually('the gate', async () => (await price(0)).code === 0);
	const again = await atOnce((i) => price(i, { nonce: nonces[i] ?? '' }));
	expect(again.map(({ code, data }) => [code, data?.from.amount])).toEqual(nonces.map((_, i) => [0, amountOf(i)]));
	const replayed = await atOnce((i) => price(i, { nonce: nonces[i] ?? '' }));
	expect(replayed.map(({ code }) => code)).toEqual(nonces.map(() => 3));
});

/** Before the Worker's own code: each trip to a partner's gate takes so long, as if the gate were far away. */
const FAR_MILLISECONDS = 150;
const FAR_GATE = `
import { env as farEnv } from 'cloudflare:workers';
{
	const prototype = Object.getPrototypeOf(farEnv.PARTNER_GATE);
	const { get } = prototype;
	const isFar = new Set(['admit', 'admitAll']);
	prototype.get = function (...which) {
		return new Proxy(get.apply(this, which), {
			get: (stub, name) =>
				isFar.has(name)
					? async (...args) => {
							await new Promise((arrived) => setTimeout(arrived, ${FAR_MILLISECONDS}));
							return stub[name](...args);
						}
					: stub[name],
		});
	};
}
`;

/** A call over a connection of its own: where that is reset, workerd ends the request. */
function callToReset({ local }: TestService, { apiKey, apiSecret }: Credentials, body: string): Socket {
	const socket = connect(local.port, '127.0.0.1');
	socket.write(
		`POST /api/v1/price HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
			`X-API-KEY: ${apiKey}\r\nX-API-SIGN: ${hmac(apiSecret, body)}\r\nX-API-NONCE: ${newNonce()}\r\n\r\n${body}`,
	);
	return socket;
}

describe('where the gate is far away', () => {
	const arrange = (workers: LocalWorkers): LocalWorkers =>
		workers.map((worker) => (worker.name === API_WORKER ? { ...worker, script: FAR_GATE + worker.script } : worker));
	const far = serviceForFile({}, { arrange });
	const pause = (milliseconds: number) => new Promise((over) => setTimeout(over, milliseconds));

	it('a caller who carries the others may go away: each of them is answered, and its nonce is spent once', async () => {
		const farPartner = await createPartner(far.current(), { weightPerMinute: 1_000_000 });
		const ask = (i: number, bend: Bend = {}) =>
			signed<Priced>(far.current(), farPartner, '/api/v1/price', { ...BODY, amount: amountOf(i) }, bend);
		expect((await ask(0)).code).toBe(0);
		for (let round = 0; round < 3; round++) {
			const alone = ask(0);
			await pause(FAR_MILLISECONDS / 3);
			// The first who comes meanwhile waits some milliseconds, and then carries all.
			const carrier = callToReset(far.current(), farPartner, JSON.stringify({ ...BODY, amount: amountOf(1) }));
			await once(carrier, 'connect');
			const nonces = Array.from({ length: 8 }, () => newNonce());
			const carried = Promise.all(nonces.map((nonce, i) => ask(2 + i, { nonce })));
			await pause(FAR_MILLISECONDS / 3);
			carrier.resetAndDestroy();
			const asked = Date.now();
			expect((await carried).map(({ code, data }) => [code, data?.from.amount])).toEqual(
				nonces.map((_, i) => [0, amountOf(2 + i)]),
			);
			expect(Date.now() - asked).toBeLessThan(LOST_MILLISECONDS);
			expect((await alone).code).toBe(0);
			expect((await Promise.all(nonces.map((nonce) => ask(0, { nonce })))).map(({ code }) => code)).toEqual(
				nonces.map(() => 3),
			);
		}
	});
});

describe('where the runtime goes on with a request inside the one that wakes it', () => {
	// Without this flag it does so with each of them; with it, where a promise has lost the mark that says whose it is.
	const arrange = (workers: LocalWorkers): LocalWorkers =>
		workers.map((worker) => {
			if (worker.name !== API_WORKER) return worker;
			const { compatibilityFlags = [] } = worker as { readonly compatibilityFlags?: readonly string[] };
			return { ...worker, compatibilityFlags: [...compatibilityFlags, 'no_handle_cross_request_promise_resolution'] };
		});
	const unmarked = serviceForFile({}, { arrange });

	it('each call has its own answer', async () => {
		const by = await createPartner(unmarked.current(), { weightPerMinute: 1_000_000 });
		const ask = (i: number) =>
			signed<Priced>(unmarked.current(), by, '/api/v1/price', { ...BODY, amount: amountOf(i) });
		expect((await ask(0)).code).toBe(0);
		for (let round = 0; round < 10; round++)
			expect((await atOnce(ask)).map(({ code, data }) => [code, data?.from.amount])).toEqual(
				Array.from({ length: CALLS }, (_, i) => [0, amountOf(i)]),
			);
	});
});
