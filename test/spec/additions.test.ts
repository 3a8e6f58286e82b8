/** What partners ask for beyond the contract, and that it changes nothing for those who do not (book: contract, "Beyond the contract"). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webhookTest } from '../../src/webhooks/events/webhook-test.ts';
import { earn, paidTo } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { ordersForFile } from '../support/order-life.ts';
import { type CreatedOrder, create, createBody, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Answer, type Credentials, call, createPartner, signed } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';
import { startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';

const service = sharedService();
const { partner, newOrder, until, deposit } = ordersForFile(service);
const { json } = operatorOf(service.current);

let receiver: WebhookReceiver;
let hooked: Credentials;
beforeAll(async () => {
	receiver = await startWebhookReceiver();
	hooked = await createPartner(service.current(), { webhookUrl: receiver.url, weightPerMinute: 1_000_000 });
});
afterAll(() => receiver.close());

const post = <T = Record<string, unknown>>(path: string, body: unknown = {}, by = partner()): Promise<Answer<T>> =>
	signed<T>(service.current(), by, `/api/v1/${path}`, body);
const withoutKey = { headers: { 'idempotency-key': null } };

type Order = CreatedOrder & { readonly externalId?: string; readonly progress?: unknown };
interface Page {
	readonly orders: readonly Order[];
	readonly cursor: string | null;
	readonly completeSince: number | null;
}

describe('externalId', () => {
	it('is in every answer about its order and in its webhooks; an order without one has no such field', async () => {
		const { data } = await create(service.current(), hooked, { externalId: 'cart 17/b' });
		const read = await post<Order>('order', { id: data.id, token: data.token }, hooked);
		expect([(data as Order).externalId, read.data.externalId]).toEqual(['cart 17/b', 'cart 17/b']);
		await service.current().operator('sandbox/deposit', { orders: [data.id], confirmations: 0 });
		const { json: event } = await receiver.waitFor(({ rawBody }) => rawBody.includes(data.id));
		expect(event).toMatchObject({ data: { order: { externalId: 'cart 17/b' } } });
		expect(Object.keys((await create(service.current(), hooked)).data)).not.toContain('externalId');
		expect(Object.keys((await create(service.current(), hooked, { externalId: null })).data)).not.toContain(
			'externalId',
		);
	});

	it.each([[''], ['x'.repeat(65)], ['ü'], ['a\nb'], [7]])('%j → 1', async (externalId) => {
		expect((await create(service.current(), partner(), { externalId })).code).toBe(1);
	});

	it('is part of the body that an Idempotency-Key stands for', async () => {
		const key = { headers: { 'idempotency-key': 'the key of a reference' } };
		const made = (more: object) => create(service.current(), partner(), { externalId: 'keyed', ...more }, key);
		const { id } = (await made({})).data;
		expect((await made({})).data).toMatchObject({ id, token: null, externalId: 'keyed' });
		expect((await made({ externalId: 'other' })).status).toBe(409);
		expect((await made({ externalIdUnique: true })).status).toBe(409);
	});

	it('may be used again where uniqueness is not asked for', async () => {
		const [one, two] = [await newOrder({ externalId: 'again' }), await newOrder({ externalId: 'again' })];
		expect(one.id).not.toBe(two.id);
	});

	it('is found by the operator, who sees it in the order and in the export', async () => {
		const order = await newOrder({ externalId: 'find-me-1' });
		expect(await json('order', 'find', 'find-me-1')).toMatchObject([
			{ id: order.id, externalId: 'find-me-1', foundBy: 'partner’s reference' },
		]);
		expect(await json('order', 'show', order.id)).toMatchObject({
			order: { externalId: 'find-me-1' },
			internal: { externalIdUnique: false },
		});
		const { rows } = await service.current().operator<{ rows: object[] }>('export/orders', { partner: partner().id });
		expect(rows).toContainEqual(expect.objectContaining({ id: order.id, externalId: 'find-me-1' }));
	});
});

describe('externalIdUnique', () => {
	const unique = (externalId: string, more: object = {}, by = partner()) =>
		create(service.current(), by, { externalId, externalIdUnique: true, ...more }, withoutKey);

	it('makes one order: a repetition answers it with token null, another body is code 1 with HTTP 409', async () => {
		const first = await unique('unique 1');
		expect(first.data.token).toHaveLength(43);
		expect((await unique('unique 1')).data).toMatchObject({ id: first.data.id, token: null });
		const other = await unique('unique 1', { amount: '3' });
		expect([other.status, other.text]).toEqual([409, '{"code":1,"msg":"INVALID_REQUEST"}']);
		expect((await unique('unique 2')).data.id).not.toBe(first.data.id);
	});

	it('makes one order of twenty creates at once, and one of them has the token', async () => {
		const answers = await Promise.all(Array.from({ length: 20 }, () => unique('at once')));
		expect(answers.map(({ code }) => code)).toEqual(Array.from({ length: 20 }, () => 0));
		expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
		expect(answers.filter(({ data }) => data.token !== null)).toHaveLength(1);
		const rows = await service.current().sql("SELECT 1 FROM orders WHERE external_id = 'at once'");
		expect(rows).toHaveLength(1);
	});

	it('is each partner’s own, and says nothing about creates that do not ask for it', async () => {
		const { id } = (await unique('mine')).data;
		expect((await unique('mine', {}, hooked)).data.id).not.toBe(id);
		expect((await newOrder({ externalId: 'mine' })).id).not.toBe(id);
		expect((await unique('mine')).data.id).toBe(id);
	});

	it('without an externalId → 1', async () => {
		expect((await create(service.current(), partner(), { externalIdUnique: true })).code).toBe(1);
	});
});

describe('progress', () => {
	const progressOf = async (order: CreatedOrder, by = partner()) => {
		const { data } = await post<Order>('order', { id: order.id, token: order.token, with: ['progress'] }, by);
		return data.progress;
	};

	it('is there where it is asked for, and nowhere else', async () => {
		const made = await create(service.current(), partner(), { with: ['progress'] });
		expect((made.data as Order).progress).toEqual({ confirmations: 0, needed: 6, minutes: 16 });
		const { id, token } = made.data;
		expect(Object.keys((await post('order', { id, token })).data)).not.toContain('progress');
		expect((await post('order', { id, token, with: ['else'] })).code).toBe(1);
		expect((await post('order', { id, token, with: 'progress' })).code).toBe(1);
	});

	it('counts the confirmations of a PENDING order and is null once there is nothing to wait for', async () => {
		const order = await newOrder();
		await deposit(order, { confirmations: 2 });
		await until(order, 'PENDING');
		expect(await progressOf(order)).toEqual({ confirmations: 2, needed: 6, minutes: 11 });
		await service.current().operator('sandbox/confirm', { orders: [order.id] });
		await until(order, 'DONE');
		expect(await progressOf(order)).toBeNull();
	});
});

describe('orders', () => {
	let owner: Credentials;
	let made: CreatedOrder[];
	const list = (body: object = {}, by = owner) => post<Page>('orders', body, by);
	const idsOf = ({ data }: Answer<Page>) => data.orders.map(({ id }) => id);

	beforeAll(async () => {
		owner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
		made = [];
		for (let i = 0; i < 5; i++)
			made.push((await create(service.current(), owner, i === 2 ? { externalId: 'third' } : {})).data);
		// Two of one moment.
		await service
			.current()
			.sql(
				'UPDATE orders SET created_at = (SELECT created_at FROM orders WHERE id = ?1) WHERE id = ?2',
				made[1]?.id,
				made[2]?.id,
			);
	});

	it('are listed newest first, as order shows them, and no other partner’s', async () => {
		const answer = await list();
		expect(answer.data).toMatchObject({ cursor: null, completeSince: null, unreadable: [] });
		expect(idsOf(answer).toSorted()).toEqual(made.map(({ id }) => id).toSorted());
		const { id, token } = made[4] as CreatedOrder;
		const { data: read } = await post<Order>('order', { id, token }, owner);
		const [newest] = answer.data.orders as readonly Order[];
		expect({ ...newest, time: { ...newest?.time, left: 0 } }).toEqual({ ...read, time: { ...read.time, left: 0 } });
		expect((await list({}, hooked)).data.orders.map(({ id }) => id)).not.toContain(id);
	});

	it('come in pages of any size that together are the whole list, each order once', async () => {
		const whole = idsOf(await list());
		for (const limit of [1, 2, 4]) {
			const found: string[] = [];
			let cursor: string | null = null;
			do {
				const page: Answer<Page> = await list({ limit, ...(cursor && { cursor }) });
				expect(page.data.orders.length).toBeLessThanOrEqual(limit);
				found.push(...idsOf(page));
				cursor = page.data.cursor;
			} while (cursor);
			expect(found).toEqual(whole);
		}
	});

	it('can be asked for by status, time and externalId, and with progress', async () => {
		expect(idsOf(await list({ externalId: 'third' }))).toEqual([made[2]?.id]);
		const [paid, left] = made as [CreatedOrder, CreatedOrder];
		await service.current().operator('sandbox/deposit', { orders: [paid.id] });
		const done = await untilStatus(service.current(), owner, paid, 'DONE');
		const { data } = await list({ status: 'DONE', with: ['progress'] });
		expect(data.orders).toMatchObject([
			{ id: paid.id, from: { tx: done.from.tx }, to: { tx: done.to.tx }, progress: null },
		]);
		expect(done.from.tx.id && done.to.tx.id).toBeTruthy();
		expect(idsOf(await list({ status: 'NEW' }))).toHaveLength(4);
		await service.current().sql('UPDATE orders SET created_at = 5000 WHERE id = ?', left.id);
		expect(idsOf(await list({ since: 5, until: 6 }))).toEqual([left.id]);
		expect(idsOf(await list({ since: 6 }))).toHaveLength(4);
		expect(idsOf(await list({ until: 5 }))).toEqual([]);
	});

	it('that are deleted are not listed', async () => {
		const order = (await create(service.current(), owner)).data;
		await service.current().operator('order/delete', { id: order.id });
		expect(idsOf(await list())).not.toContain(order.id);
	});

	it.each([{ limit: 0 }, { limit: 101 }, { status: 'OPEN' }, { since: -1 }, { cursor: 'x' }, { cursor: 'WzFd' }])(
		'%j → 1',
		async (body) => expect((await list(body)).code).toBe(1),
	);

	it('are named and not shown where their seal is broken, and the others are listed: nobody is led to another address', async () => {
		const victim = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
		const [sound, changed] = [await create(service.current(), victim), await create(service.current(), victim)];
		const thief = `0x${'1'.repeat(40)}`;
		await service.current().sql('UPDATE orders SET to_address = ? WHERE id = ?', thief, changed.data.id);
		const answer = await list({}, victim);
		expect(answer.data).toMatchObject({ unreadable: [changed.data.id], cursor: null });
		expect(idsOf(answer)).toEqual([sound.data.id]);
		expect(answer.text).not.toContain(thief);
		const { id, token } = changed.data;
		expect((await post('order', { id, token }, victim)).code).toBe(99);
		const said = await eventually('the log to say so', async () =>
			service
				.current()
				.logged('order_seal_broken')
				.find(({ orders }) => (orders as string[]).includes(id)),
		);
		expect(said).toMatchObject({ count: 1, orders: [id] });
		// The service notes one incident of a kind in a minute, and another file may have had one just before.
		const waiting = await eventually(
			'attention to name it',
			async () => {
				await list({}, victim);
				const rows = await service.current().operator<{ subject: string; cause: string }[]>('attention');
				return rows.find(({ subject }) => subject.includes(id));
			},
			90_000,
		);
		expect(waiting.cause).toContain('does not match its seal');
	}, 120_000);
});

describe('earnings', () => {
	it('are what is owed, what was paid and what each code brought', async () => {
		const earner = await createPartner(service.current(), { afftaxBps: 200, weightPerMinute: 1_000_000 });
		await post('codes', { code: 'summer', afftaxBps: 100 }, earner);
		const coded = (await create(service.current(), earner, {}, { apiKey: `${earner.apiKey}.summer` })).data;
		await create(service.current(), earner, {}, { apiKey: `${earner.apiKey}.summer` });
		await service.current().operator('sandbox/deposit', { orders: [coded.id] });
		await untilStatus(service.current(), earner, coded, 'DONE');
		await paidTo(service.current(), earner, LTC_REFUND);
		const before = (await post('earnings', {}, earner)).data;
		expect(before).toMatchObject({
			ordersDone: 1,
			paidUsd: '0.00',
			paid: [],
			owed: [{ code: 'ETH', network: 'Ethereum' }],
		});
		expect(before['codes']).toEqual([
			{ code: 'summer', orders: 2, ordersDone: 1, volumeUsd: before['volumeUsd'], earnedUsd: before['earnedUsd'] },
		]);
		await service.current().operator('earnings/pay-out', { partner: earner.id });
		const { paid, ...after } = await eventually('the payout', async () => {
			const { data } = await post<{ paid: { usd: string }[] }>('earnings', {}, earner);
			return data.paid.length > 0 && data;
		});
		expect(paid).toEqual([
			{
				payoutId: expect.any(String),
				asset: 'LTC',
				network: 'Litecoin',
				amount: expect.any(String),
				usd: paid[0]?.usd,
				address: LTC_REFUND,
				txId: expect.any(String),
				orderCount: 1,
				time: expect.any(Number),
			},
		]);
		expect(after).toMatchObject({ owed: [], owedUsd: '0.00', paidUsd: paid[0]?.usd, earnedUsd: before['earnedUsd'] });
		await earn(service.current(), earner, {});
		expect((await post('earnings', {}, earner)).data).toMatchObject({ ordersDone: 2, codes: [{ ordersDone: 1 }] });
	});
});

describe('a test event', () => {
	it('is delivered like any event, though it was never chosen, and the operator sees it', async () => {
		await service.current().operator('partner/update', { id: hooked.id, events: ['partner.paid_out'] });
		const { data } = await post<{ id: string }>('webhooks/test', {}, hooked);
		const received = await receiver.waitFor(({ headers }) => headers['x-partner-webhook-id'] === data.id);
		expect(verify(received, hooked.webhookSecret)).toBe(true);
		expect(webhookTest.schema.parse(received.json)).toMatchObject({
			id: data.id,
			type: 'webhook.test',
			data: { test: true },
		});
		const [event] = await eventually('the delivery', async () => {
			const events = await service
				.current()
				.operator<{ id: string; state: string }[]>('webhook/list', { partner: hooked.id });
			const own = events.filter(({ id, state }) => id === data.id && state === 'delivered');
			return own.length > 0 && own;
		});
		expect(event).toMatchObject({ type: 'webhook.test', orderId: null, lastStatus: 200 });
		receiver.clear();
		await service.current().operator('webhook/redeliver', { id: data.id });
		await receiver.waitFor(({ headers }) => headers['x-partner-webhook-id'] === data.id);
	});

	it('without a webhook URL → 6', async () => {
		expect((await post('webhooks/test')).code).toBe(6);
	});
});

describe('X-Budget-Remaining', () => {
	it('says what is left after the call, on successes, on refusals after admission and on code 5', async () => {
		const few = await createPartner(service.current(), { weightPerMinute: 60 });
		const left = async (path: string, body: unknown = {}) => {
			const { code, headers } = await post(path, body, few);
			return [code, headers.get('x-budget-limit'), headers.get('x-budget-remaining')];
		};
		expect(await left('currencies')).toEqual([0, '60', '59']);
		expect(await left('order')).toEqual([1, '60', '58']);
		expect(await left('create', createBody())).toEqual([0, '60', '8']);
		expect(await left('create', createBody())).toEqual([5, '60', '8']);
		await service.current().operator('partner/update', { id: few.id, weightPerMinute: 10 });
		expect(await left('currencies')).toEqual([5, '10', '0']);
	});

	it('is on no answer to an unsigned or unauthentic call', async () => {
		const open = await call(service.current(), '/api/v1/currencies', '{}');
		const forged = await signed(service.current(), partner(), '/api/v1/currencies', '{}', { apiSecret: 'x' });
		expect([open, forged].map(({ headers }) => headers.get('x-budget-remaining'))).toEqual([null, null]);
	});
});
