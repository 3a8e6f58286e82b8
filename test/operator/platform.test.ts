/** What the service asks of the platform: each call, an order, and a minute in which nobody asks anything. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NETWORK_NAMES } from '../../src/catalog/networks.ts';
import { API_WORKER } from '../../src/local/workers.ts';
import { emergency } from '../../src/orders/endpoints/emergency.ts';
import { order } from '../../src/orders/endpoints/order.ts';
import { qr } from '../../src/orders/endpoints/qr.ts';
import type { AdmittedEndpoint, Call } from '../../src/ports/endpoint.ts';
import type { Env } from '../../src/ports/env.ts';
import { ageOrder } from '../support/archived.ts';
import { type Asked, CALLS, type CallFigure, IDLE, ORDER } from '../support/costs/figures.ts';
import type { Counted, CountedEvent, Counts } from '../support/counted/counter.ts';
import { beyondIdle, CRON, idleOf } from '../support/counted/order.ts';
import { COUNTING, callsOf, sumOf, takeEvents } from '../support/counted/service.ts';
import { ordersForFile } from '../support/order-life.ts';
import { type CreatedOrder, create, createBody } from '../support/orders.ts';
import { type Answer, type Credentials, call, createPartner, signed } from '../support/partner.ts';
import { type Replicated, replicate } from '../support/replicated.ts';
import { eventually, serviceForFile } from '../support/service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** Most polls find nothing: the middle one is then that of an idle service. */
const PACE = Object.fromEntries(NETWORK_NAMES.map((name) => [`NODE_POLL_SECONDS_${name.toUpperCase()}`, '2']));
const service = serviceForFile(PACE, { ...COUNTING, pages: true });
const { partner, newOrder, until, deposit } = ordersForFile(service);
const DAY = 86_400_000;
const FINAL = "SELECT 1 FROM transactions WHERE state = 'final' AND order_id IN (?, ?)";

/** All events since the service started. */
const all: CountedEvent[] = [];
async function take(): Promise<CountedEvent[]> {
	const events = await takeEvents(service.current());
	all.push(...events);
	return events;
}

const NOTHING = { gate: 0, database: 0, kvReads: 0, agent: 0, gateDatabase: 0, rowsRead: 0, rowsWritten: 0 };

/** The figures of a call: its own events, and those of the gates that it asked. */
function figureOf(events: readonly CountedEvent[]): CallFigure {
	const own = sumOf(events.filter(({ label }) => /^[A-Z]+ \//.test(label)));
	const inGate = sumOf(events.filter(({ label }) => label.startsWith('PartnerGate.')));
	const { gate = 0, database = 0, kvReads = 0, agent = 0, rowsRead = 0, rowsWritten = 0 } = own;
	return {
		gate,
		database,
		kvReads,
		agent,
		gateDatabase: inGate.database ?? 0,
		rowsRead: rowsRead + (inGate.rowsRead ?? 0),
		rowsWritten: rowsWritten + (inGate.rowsWritten ?? 0),
	};
}

describe('a call', () => {
	/** Has a webhook URL. */
	let listening: Credentials;
	/** Has no events. */
	let quiet: Credentials;
	type Repeated = (run: number) => Promise<Answer>;
	const post = (path: string, body: unknown): Promise<Answer> =>
		signed(service.current(), partner(), `/api/v1/${path}`, body);
	const open = (path: string, init = {}): Promise<Answer> => call(service.current(), path, {}, init);
	/** Of the third run, in which codes need not be created: that of the second. */
	const codeOf = (run: number) => `code${Math.min(run, 1)}`;
	/** The key that `createKey` made. */
	let keyId = '';
	/** The first is spare: what differs is counted once more. */
	const endpointIds: string[] = [];
	const feed = async (path: string) => ({ code: (await fetch(service.current().url + path)).ok ? 0 : 99 }) as Answer;

	const callsOn = (
		read: CreatedOrder & { readonly links?: { readonly status: string } },
		emergencies: readonly CreatedOrder[],
	): Record<string, Repeated> => ({
		currencies: () => open('/api/v1/currencies'),
		pairs: () => open('/api/v1/pairs'),
		assets: () => open('/api/v1/assets'),
		price: () => post('price', { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' }),
		pairLimits: () => open('/api/v1/limits'),
		create: () => post('create', createBody()),
		order: () => post('order', { id: read.id, token: read.token }),
		status: () =>
			call(service.current(), (read.links?.status ?? '').replace(service.current().url, ''), undefined, {
				method: 'GET',
			}),
		orders: () => post('orders', { limit: 2 }),
		validateAddress: () => post('validate-address', { ccy: 'LTC', address: read.back.address }),
		earnings: () => post('earnings', {}),
		createEndpoint: async () => {
			const made = await post('webhooks', { url: 'https://shop.example/hooks', enabled: false });
			endpointIds.push(String(made.data['id']));
			return made;
		},
		listEndpoints: () => signed(service.current(), partner(), '/api/v1/webhooks', '', { method: 'GET' }),
		changeEndpoint: () => post('webhooks/change', { id: endpointIds.at(-1), events: ['partner.paid_out'] }),
		deleteEndpoint: () =>
			signed(service.current(), partner(), '/api/v1/webhooks', { id: endpointIds.pop() }, { method: 'DELETE' }),
		testWebhook: () => signed(service.current(), listening, '/api/v1/webhooks/test', {}),
		listDeliveries: () => signed(service.current(), quiet, '/api/v1/webhooks/deliveries', {}),
		redeliverWebhook: (run) =>
			signed(service.current(), listening, '/api/v1/webhooks/redeliver', { id: `again${run}` }),
		emergency: (run) => post('emergency', { ...emergencies[run], choice: 'EXCHANGE' }),
		qr: () => post('qr', { id: read.id, token: read.token }),
		createCode: (run) => post('codes', { code: `code${run}` }),
		listCodes: () => signed(service.current(), partner(), '/api/v1/codes', '', { method: 'GET' }),
		disableCode: (run) =>
			signed(service.current(), partner(), '/api/v1/codes', { code: codeOf(run) }, { method: 'DELETE' }),
		enableCode: (run) => post('codes/enable', { code: codeOf(run) }),
		createKey: async () => {
			const made = await post('keys', { kind: 'app', label: 'Wallet' });
			keyId = String(made.data['id']);
			return made;
		},
		listKeys: () => signed(service.current(), partner(), '/api/v1/keys', '', { method: 'GET' }),
		revokeKey: () => signed(service.current(), partner(), '/api/v1/keys', { id: keyId }, { method: 'DELETE' }),
		rotateKeys: () => post('keys/rotate', { rotate: ['webhookSecret'] }),
		sandboxKeys: () => open('/api/v1/sandbox/keys'),
		sandboxDeposit: () => post('sandbox/deposit', { id: read.id }),
		rates: () => feed('/api/rates.xml'),
		floatRates: () => feed('/rates/float.xml'),
		bestChangeRates: () => feed('/rates/bestchange.xml'),
		fixedFloatRates: () => feed('/rates/fixedfloat.xml'),
		plainRates: () => feed('/rates/plain.json'),
	});

	it('costs as many round trips and rows as the book says, whichever endpoint it is', async () => {
		const receiver = await startWebhookReceiver();
		// A range of an index counts the row behind it too, where there is one: this partner's endpoints are the last ones.
		do listening = await createPartner(service.current());
		while (listening.id > partner().id);
		await service.current().operator('partner/update', { id: listening.id, webhookUrl: receiver.url });
		quiet = await createPartner(service.current());
		const given = ['again0', 'again1', 'again2'].map(
			(id) => `('${id}', '${listening.id}', 'webhook.test', '{}', 'ended', 0, 0)`,
		);
		await service
			.current()
			.sql(
				`INSERT INTO webhook_events (id, partner_id, type, body, state, next_attempt_at, created_at) VALUES ${given}`,
			);
		const emergencies = [await newOrder(), await newOrder()];
		for (const small of emergencies) await deposit(small, { amount: '0.2' });
		const read = await newOrder({ with: ['links'] });
		for (const small of emergencies) await until(small, 'EMERGENCY');
		const spare = await post('webhooks', { url: 'https://shop.example/spare', enabled: false });
		endpointIds.push(String(spare.data['id']));
		const figures: Record<string, CallFigure> = {};
		const calls = Object.entries(callsOn(read, emergencies));
		const count = async ([id, make]: (typeof calls)[number], run: number) => {
			await take();
			// This service is no public sandbox.
			expect([id, (await make(run)).code]).toEqual([id, id.startsWith('sandbox') ? 6 : 0]);
			figures[id] = figureOf(await take());
		};
		// The first run warms up isolate, gates and caches.
		for (const run of [0, 1]) for (const each of calls) await count(each, run);
		// What a gate keeps for a minute may have ended just then.
		const others = calls.filter(([id]) => !isDeepStrictEqual(figures[id], CALLS[id]));
		for (const each of others.filter(([id]) => id !== 'emergency')) await count(each, 2);
		// A chosen exchange waits for the next price, and must not settle while something else is counted.
		await service.current().operator('sandbox/price', { coin: 'LTC', usd: '95' });
		for (const small of emergencies) await until(small, 'DONE');
		await receiver.close();
		expect(figures).toEqual(CALLS);
	});

	it('that names no order costs the same, whatever of id and token is wrong', async () => {
		const { id, token } = await newOrder();
		const wrong = [
			{ id, token: 'x'.repeat(43) },
			{ id, token: 'malformed' },
			{ id: crypto.randomUUID(), token },
		];
		const figures: CallFigure[] = [];
		for (const body of wrong) {
			await take();
			expect((await post('order', body)).code).toBe(6);
			figures.push({ ...figureOf(await take()), rowsRead: 0 });
		}
		expect(figures).toEqual(wrong.map(() => ({ ...NOTHING, gate: 1, database: 2 })));
	});

	it('that comes with others shares their trips, and each trip counts for the call that carries it', async () => {
		const { id, token } = await newOrder();
		await take();
		const made = await Promise.all(Array.from({ length: 40 }, () => post('order', { id, token })));
		expect(made.map(({ code }) => code)).toEqual(made.map(() => 0));
		const events = await take();
		const calls = events.filter(({ label }) => label === 'POST /api/v1/order');
		expect(calls.length).toBe(made.length);
		const { gate = 0, database = 0, rowsRead = 0 } = sumOf(calls);
		expect(gate).toBe(events.filter(({ label }) => label.startsWith('PartnerGate.')).length);
		// A trip reads each order once, and D1 counts the pairs that it is asked for as rows.
		expect(rowsRead).toBeLessThanOrEqual(made.length + 2 * database + made.length);
		for (const trips of [gate, database]) expect(trips).toBeLessThan(made.length);
		expect(calls.every(({ counts }) => (counts.gate ?? 0) <= 1 && (counts.database ?? 0) <= 1)).toBe(true);
		console.log(`40 reads of an order at once: ${gate} trips to the gate, ${database} to D1, ${rowsRead} rows`);
	});

	it('of a stranger who makes up apiKeys asks no object and no database', async () => {
		const madeUp = (): string => `pk_${randomBytes(28).toString('base64url')}`;
		await take();
		for (let guesses = 0; guesses < 20; guesses++) {
			const answer = await signed(service.current(), partner(), '/api/v1/price', {}, { apiKey: madeUp() });
			expect(answer.code).toBe(3);
		}
		const events = (await take()).filter(({ label }) => /^[A-Z]+ \//.test(label) || label.startsWith('PartnerGate.'));
		expect(events.length).toBe(20);
		expect(figureOf(events)).toEqual(NOTHING);
	});
});

describe('a command', () => {
	/** The platform allows 32 in one request. The request, the operator Worker and the console are some of them. */
	const MOST = 12;
	/** The operator Worker, and the objects that it asks. */
	const BY_BOTH = /^(?:POST \/operator\/v1\/.*|ChainAgent\.(?:check|height|lastError|freeAddresses))$/;

	it.each(['doctor', 'attention', 'network/list', 'network/check'])(
		'%s makes few calls of other Workers',
		async (command) => {
			const calls = await callsOf(service.current(), command, BY_BOTH);
			console.log(`${command}: ${calls} calls of other Workers`);
			expect(calls).toBeLessThanOrEqual(MOST);
		},
	);
});

/** Rows depend a little on what else is stored; what costs money may not grow unseen, nor be less than the book says. */
function expectNear(name: string, found: Counts, figure: Partial<Asked>, by = 1): void {
	for (const [what, expected] of Object.entries(figure) as [Counted, number][]) {
		const each = (found[what] ?? 0) / by;
		const slack = Math.max(2, expected * (what === 'rowsWritten' ? 0.15 : 0.4));
		expect.soft(each, `${name}: ${what}, not ${expected}`).toBeGreaterThanOrEqual(expected - slack);
		expect.soft(each, `${name}: ${what}, not ${expected}`).toBeLessThanOrEqual(expected + slack);
	}
}

describe('an order', () => {
	let receiver: WebhookReceiver;
	let hooked: Credentials;
	let swapped: CountedEvent[];
	let archived: CountedEvent[];
	let replica: Replicated;
	const orders: CreatedOrder[] = [];
	const sql = (statement: string, ...values: unknown[]) => service.current().sql(statement, ...values);
	const scheduled = () => service.current().local.runScheduled();
	const noneOf = (rows: string) =>
		eventually(`none of ${rows}`, async () => (await sql(`SELECT 1 FROM ${rows}`)).length === 0);

	beforeAll(async () => {
		// Of Workers alone.
		Object.assign(crypto.subtle, { timingSafeEqual });
		receiver = await startWebhookReceiver();
		hooked = await createPartner(service.current(), { webhookUrl: receiver.url });
		await noneOf("transactions WHERE state <> 'final'");
		await scheduled();
		// What was done is chained by now: these find nothing to do.
		for (const _ of [0, 1, 2]) {
			await sql('DELETE FROM status_days');
			await scheduled();
		}
	});
	afterAll(() => {
		replica?.close();
		return receiver.close();
	});

	/** What a call of the endpoint reads of the first order, with these replicas. It runs here, so that D1 can be a stand-in. */
	async function shown({ answer }: AdmittedEndpoint, DB: D1Database) {
		const env = { ...(await service.current().local.miniflare.getBindings<Env>(API_WORKER)), DB };
		const { id, token } = orders[0] ?? {};
		const body = new TextEncoder().encode(JSON.stringify({ id, token, choice: 'EXCHANGE' }));
		const of = { env, body, partner: { id: hooked.id }, now: Date.now(), background: () => undefined };
		const answered = await answer(of as unknown as Call);
		return 'dataJson' in answered ? JSON.parse(answered.dataJson) : answered;
	}

	it('is paid', async () => {
		for (const _ of [0, 1]) orders.push((await create(service.current(), hooked)).data);
		replica = await replicate(service.current());
		await take();
		// One after the other: polls and signatures that two orders share would count as half.
		for (const { id } of orders) {
			await service.current().operator('sandbox/deposit', { orders: [id] });
			await eventually('the payout', async () => (await sql(FINAL, id, id)).length === 1);
		}
		await noneOf("webhook_events WHERE state = 'due'");
		// On a slow machine a cron comes meanwhile.
		swapped = (await take()).filter(({ label }) => !CRON.includes(label));
	});

	it('is shown as it is although a replica is behind', async () => {
		expect(await shown(order, replica.database('first-unconstrained'))).toMatchObject({ status: 'NEW' });
		replica.served();
		expect(await shown(order, replica.database())).toMatchObject({ status: 'DONE' });
		expect(await shown(emergency, replica.database())).toEqual({ kind: 'order-not-in-emergency', status: 'DONE' });
		expect(await shown(qr, replica.database())).toMatchObject({ qrPng: expect.any(String) });
		expect(replica.served()).toEqual(['primary', 'primary', 'primary']);
	});

	it('is archived', async () => {
		await sql('DELETE FROM sweep_candidates');
		await service.current().operator('site/update', { archiveAfterDays: 31 });
		for (const { id } of orders) {
			await ageOrder(service.current(), id, 40);
			await sql('UPDATE webhook_events SET created_at = created_at - ?1 WHERE order_id = ?2', 40 * DAY, id);
		}
		await newOrder();
		await take();
		for (const _ of [0, 1]) {
			// As in a minute of its own: one that is counted already is not written again.
			await sql('DELETE FROM status_days');
			await scheduled();
		}
		archived = (await take()).filter(({ label }) => CRON.includes(label));
		expect(await sql('SELECT orders FROM archived_batches')).toEqual([{ orders: orders.length }]);
	});

	it('is shown as it is once it is archived, and a replica says where', async () => {
		expect(await shown(order, replica.database('first-unconstrained'))).toMatchObject({ status: 'NEW' });
		replica.served();
		for (const endpoint of [order, qr, emergency]) {
			const found = await shown(endpoint, replica.database());
			expect(found).toMatchObject(endpoint === qr ? { qrPng: expect.any(String) } : { status: 'DONE' });
			expect(replica.served()).toEqual(['primary', 'replica']);
		}
	});

	it('asks from its deposit until it is archived what the book says, and an idle service too', () => {
		const idle = idleOf(all);
		const { objectRowsRead: _, ...swap } = ORDER.swap;
		const { rowsRead, rowsWritten } = ORDER.archive;
		for (const name of ['poll', 'upkeep', 'refresh', 'cron'] as const) expectNear(name, idle[name], IDLE[name]);
		expectNear('swap', beyondIdle(swapped, idle), swap, orders.length);
		expectNear('archive', beyondIdle(archived, idle), { rowsRead, rowsWritten }, orders.length);
	});
});
