/** A partner's webhook endpoints, events and their deliveries by the API (book: contract, "GET /api/v1/webhooks" to "POST /api/v1/webhooks/redeliver"). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create } from '../support/orders.ts';
import { type Answer, type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';
import { startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';

const service = sharedService();
const NOT_FOUND = '{"code":6,"msg":"NOT_FOUND"}';

interface Page {
	readonly events: readonly { readonly id: string; readonly state: string; readonly deliveries: readonly object[] }[];
	readonly cursor: string | null;
}

let receiver: WebhookReceiver;
let partner: Credentials;
let sent: string[];

const post = <T>(path: string, body: unknown, by = partner): Promise<Answer<T>> =>
	signed<T>(service.current(), by, `/api/v1/webhooks/${path}`, body);
const list = (body: object = {}, by = partner) => post<Page>('deliveries', body, by);

beforeAll(async () => {
	receiver = await startWebhookReceiver();
	partner = await createPartner(service.current(), { webhookUrl: receiver.url, weightPerMinute: 1_000_000 });
	sent = [];
	for (let i = 0; i < 3; i++) sent.push((await post<{ id: string }>('test', {})).data.id);
	await eventually('three events to be delivered', async () => {
		const { events } = (await list()).data;
		return events.length === 3 && events.every(({ state }) => state === 'delivered');
	});
});
afterAll(() => receiver.close());

describe('deliveries', () => {
	it('lists a partner’s own events, newest first, with each attempt', async () => {
		const { events, cursor } = (await list()).data;
		expect(cursor).toBeNull();
		expect(events.map(({ id }) => id).toSorted()).toEqual(sent.toSorted());
		for (const event of events)
			expect(event).toEqual({
				id: expect.any(String),
				endpoint: expect.stringMatching(/^[0-9a-f]{16}$/),
				type: 'webhook.test',
				orderId: null,
				createdAt: expect.any(Number),
				state: 'delivered',
				nextAttemptAt: null,
				deliveries: [
					{ attempt: 1, at: expect.any(Number), status: 200, milliseconds: expect.any(Number), error: null },
				],
			});
		const other = await createPartner(service.current());
		expect((await list({}, other)).data).toEqual({ events: [], cursor: null });
	});

	it('comes in pages that together are the whole list', async () => {
		const whole = (await list()).data.events.map(({ id }) => id);
		for (const limit of [1, 2]) {
			const found: string[] = [];
			let cursor: string | null = null;
			do {
				const page: Answer<Page> = await list({ limit, ...(cursor && { cursor }) });
				found.push(...page.data.events.map(({ id }) => id));
				cursor = page.data.cursor;
			} while (cursor);
			expect(found).toEqual(whole);
		}
	});

	it('with a cursor that is none → 1', async () => {
		expect((await list({ cursor: 'x' })).code).toBe(1);
		expect((await list({ limit: 101 })).code).toBe(1);
	});
});

describe('redeliver', () => {
	it('sends the same id and the same bytes again', async () => {
		const [id = ''] = sent;
		const of = () => receiver.received.filter(({ rawBody }) => rawBody.includes(id));
		const again = await post('redeliver', { id });
		expect(again.data).toEqual({ id, type: 'webhook.test' });
		await eventually('the event to come again', async () => of().length === 2);
		const [first, second] = of();
		expect(second?.rawBody).toEqual(first?.rawBody);
		expect(second?.headers['x-partner-webhook-id']).toBe(id);
	});

	it('of an unknown event, or another partner’s → 6', async () => {
		const other = await createPartner(service.current(), { webhookUrl: receiver.url });
		expect((await post('redeliver', { id: sent[1] }, other)).text).toBe(NOT_FOUND);
		expect((await post('redeliver', { id: 'none' })).text).toBe(NOT_FOUND);
	});
});

describe('webhook endpoints', () => {
	interface Hook {
		readonly id: string;
		readonly url: string;
		readonly events: readonly string[];
		readonly enabled: boolean;
	}
	let owner: Credentials;
	let second: WebhookReceiver;
	const PATH = '/api/v1/webhooks';
	const ask = <T = Hook>(method: string, body: unknown, path = PATH, by = owner): Promise<Answer<T>> =>
		signed<T>(service.current(), by, path, body, { method });
	const hooks = async (by = owner) => (await ask<Hook[]>('GET', '', PATH, by)).data;
	const change = (body: object) => ask('POST', body, `${PATH}/change`);

	beforeAll(async () => {
		second = await startWebhookReceiver();
		owner = await createPartner(service.current(), { webhookUrl: receiver.url, weightPerMinute: 1_000_000 });
	});
	afterAll(() => second.close());

	it('lists a partner’s own, oldest first, the one that the operator set among them', async () => {
		const [first, ...others] = await hooks();
		expect(others).toEqual([]);
		expect(first).toEqual({
			id: expect.stringMatching(/^[0-9a-f]{16}$/),
			url: receiver.url,
			events: ['order.status_changed', 'partner.paid_out', 'partner.attention'],
			enabled: true,
			createdAt: expect.any(Number),
		});
		await service.current().operator('partner/update', { id: owner.id, events: ['partner.paid_out'] });
		expect((await hooks())[0]).toEqual({ ...first, events: ['partner.paid_out'] });
		expect(await hooks(await createPartner(service.current()))).toEqual([]);
	});

	it('adds one that gets what it wants, whatever becomes of the event at another', async () => {
		const { data: added } = await ask('POST', { url: second.url, events: ['order.status_changed'] });
		expect((await hooks()).map(({ url }) => url)).toEqual([receiver.url, second.url]);
		const { data: test } = await post<{ id: string }>('test', {}, owner);
		for (const each of [receiver, second])
			await each.waitFor(({ headers }) => headers['x-partner-webhook-id'] === test.id);
		await eventually('both to be recorded', async () => {
			const { events } = (await list({}, owner)).data;
			return events.filter(({ id, state }) => id === test.id && state === 'delivered').length === 2;
		});
		second.clear();
		const { data: one } = await post<{ id: string }>('test', { endpoint: added.id }, owner);
		await second.waitFor(({ headers }) => headers['x-partner-webhook-id'] === one.id);
		expect((await list({}, owner)).data.events.filter(({ id }) => id === one.id)).toHaveLength(1);
		second.clear();
		const again = await post('redeliver', { id: test.id, endpoint: added.id }, owner);
		expect(again.data).toEqual({ id: test.id, type: 'webhook.test' });
		await second.waitFor(({ headers }) => headers['x-partner-webhook-id'] === test.id);
	});

	it('changes its URL, events and switch, each by itself', async () => {
		const [, hook] = await hooks();
		const id = hook?.id ?? '';
		expect((await change({ id, enabled: false })).data).toEqual({ ...hook, enabled: false });
		expect((await post('test', { endpoint: id }, owner)).text).toBe(NOT_FOUND);
		expect((await change({ id, events: ['partner.paid_out'] })).data).toMatchObject({ events: ['partner.paid_out'] });
		const url = 'https://shop.example/hooks';
		expect((await change({ id, url })).data).toEqual({ ...hook, url, events: ['partner.paid_out'], enabled: false });
		expect((await change({ id })).code).toBe(1);
		const audit = await service
			.current()
			.sql<{ command: string }>(
				"SELECT command FROM audit_log WHERE subject = ? AND command LIKE 'webhooks%' ORDER BY rowid",
				owner.id,
			);
		expect(audit.map(({ command }) => command)).toEqual(['webhooks', ...Array(3).fill('webhooks/change')]);
	});

	it.each([
		'http://shop.example/',
		'https://localhost/',
		'https://10.0.0.1/',
		'https://[::1]/',
		'https://169.254.169.254/latest',
		'https://db.internal/',
		'https://user:word@shop.example/',
		'https://shop.example:8443/',
		'not a URL',
	])('%s → 1, when it is added and when it is changed', async (url) => {
		const before = await hooks();
		expect((await ask('POST', { url })).code).toBe(1);
		expect((await change({ id: before[0]?.id, url })).code).toBe(1);
		expect(await hooks()).toEqual(before);
	});

	it('another partner’s is not there → 6', async () => {
		const [hook] = await hooks();
		const stranger = await createPartner(service.current());
		const id = hook?.id;
		expect((await ask('DELETE', { id }, PATH, stranger)).text).toBe(NOT_FOUND);
		expect((await ask('POST', { id, enabled: false }, `${PATH}/change`, stranger)).text).toBe(NOT_FOUND);
		expect((await post('test', { endpoint: id }, stranger)).text).toBe(NOT_FOUND);
		expect((await hooks())[0]).toEqual(hook);
	});

	it('five are the most, also at once → 13', async () => {
		const url = 'https://shop.example/more';
		const answers = await Promise.all(Array.from({ length: 5 }, () => ask('POST', { url })));
		expect(answers.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 13, 13]);
		for (const { id } of (await hooks()).slice(1)) expect((await ask<boolean>('DELETE', { id })).data).toBe(true);
		expect(await hooks()).toHaveLength(1);
	});
});

describe('partner.attention', () => {
	it('tells of an order that waits for the partner’s decision once, at the endpoint that wants it, and is listed', async () => {
		const [alarms, updates] = [await startWebhookReceiver(), await startWebhookReceiver()];
		const owner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
		const add = (url: string, events: readonly string[]) =>
			signed<{ id: string }>(service.current(), owner, '/api/v1/webhooks', { url, events });
		const { data: alarm } = await add(alarms.url, ['partner.attention']);
		await add(updates.url, ['order.status_changed']);
		const { data: order } = await create(service.current(), owner);
		await service.current().operator('sandbox/deposit', { orders: [order.id], amount: '0.1' });
		await updates.waitFor(
			({ json }) => (json as { data: { order: { status: string } } }).data.order.status === 'EMERGENCY',
		);
		const cron = () => service.current().local.runScheduled();
		await Promise.all([cron(), cron()]);
		const told = await alarms.waitFor(() => true);
		expect(verify(told, owner.webhookSecret)).toBe(true);
		const { id, ...body } = told.json as { id: string };
		expect(body).toEqual({
			type: 'partner.attention',
			createdAt: expect.any(String),
			apiVersion: 'v1',
			data: { reason: 'order_undecided', orderId: order.id, endpointId: null, keyId: null, since: expect.any(String) },
		});
		await cron();
		await eventually('it to be recorded', async () => {
			const { events } = (await list({}, owner)).data;
			const ofAlarm = events.filter((event) => (event as unknown as { endpoint: string }).endpoint === alarm.id);
			return ofAlarm.length === 1 && ofAlarm[0]?.id === id && ofAlarm[0].state === 'delivered';
		});
		expect([alarms.received.length, updates.received.some(({ rawBody }) => rawBody.includes(id))]).toEqual([1, false]);
		await Promise.all([alarms.close(), updates.close()]);
	});
});

describe('the callback of an order', () => {
	let callback: WebhookReceiver;
	let owner: Credentials;

	beforeAll(async () => {
		callback = await startWebhookReceiver();
		owner = await createPartner(service.current(), { webhookUrl: receiver.url, weightPerMinute: 1_000_000 });
	});
	afterAll(() => callback.close());

	it('gets the events of its order, beside the partner’s endpoint, and those of no other', async () => {
		receiver.clear();
		const { data: order } = await create(service.current(), owner, { callbackUrl: callback.url });
		const { data: other } = await create(service.current(), owner);
		await service.current().operator('sandbox/deposit', { orders: [order.id, other.id] });
		const isDone = (id: string) => (webhook: { readonly json: unknown }) => {
			const { type, data } = webhook.json as { type: string; data: { order?: { id: string; status: string } } };
			return type === 'order.status_changed' && data.order?.id === id && data.order.status === 'DONE';
		};
		const here = await callback.waitFor(isDone(order.id));
		const there = await receiver.waitFor(isDone(order.id));
		await receiver.waitFor(isDone(other.id));
		expect(here.rawBody).toEqual(there.rawBody);
		expect(verify(here, owner.webhookSecret)).toBe(true);
		expect(callback.received.every(({ rawBody }) => rawBody.includes(order.id))).toBe(true);
		const listed = (await signed<object[]>(service.current(), owner, '/api/v1/webhooks', '', { method: 'GET' })).data;
		expect(listed).toHaveLength(1);
		const post = (body: object) => signed(service.current(), owner, '/api/v1/webhooks', body, { method: 'DELETE' });
		const [row] = await service
			.current()
			.sql<{ id: string }>('SELECT id FROM webhook_endpoints WHERE order_id = ?', order.id);
		expect((await post({ id: row?.id })).text).toBe(NOT_FOUND);
	});

	it('inside a network → 1, and no order is made', async () => {
		const orders = () => service.current().sql('SELECT id FROM orders WHERE partner_id = ?', owner.id);
		const before = await orders();
		for (const callbackUrl of ['https://10.0.0.1/', 'https://metadata.goog/', 'http://shop.example/', 'none', ''])
			expect((await create(service.current(), owner, { callbackUrl })).code).toBe(1);
		expect(await orders()).toEqual(before);
	});

	it('of an app key → 4', async () => {
		const kind = { kind: 'app', label: 'Wallet' };
		const { data } = await signed<Credentials>(service.current(), owner, '/api/v1/keys', kind);
		const key = { ...owner, apiKey: data.apiKey, apiSecret: data.apiSecret };
		expect((await create(service.current(), key, { callbackUrl: callback.url })).code).toBe(4);
	});

	it('is part of the body that an Idempotency-Key stands for', async () => {
		const headers = { 'idempotency-key': 'with-a-callback' };
		const made = await create(service.current(), owner, { callbackUrl: callback.url }, { headers });
		const same = await create(service.current(), owner, { callbackUrl: callback.url }, { headers });
		expect(same.data).toMatchObject({ id: made.data.id, token: null });
		expect((await create(service.current(), owner, {}, { headers })).status).toBe(409);
	});
});
