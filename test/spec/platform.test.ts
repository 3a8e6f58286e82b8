import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idleOf, orderOf } from '../support/counted/order.ts';
import { COUNTING, sumOf, takeEvents } from '../support/counted/service.ts';
import type { CountedEvent } from '../support/counted/counter.ts';
import { ordersForFile } from '../support/order-life.ts';
import { type CreatedOrder, create, createBody, LTC_REFUND, ETH_RECIPIENT } from '../support/orders.ts';
import { type Answer, call, createPartner, type Credentials, signed } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const service = serviceForFile({}, COUNTING);
const { partner, newOrder, until, deposit } = ordersForFile(service);

const all: CountedEvent[] = []; const takeAll = async (x: ReturnType<typeof service.current>) => { const e = await takeEvents(x); all.push(...e); return e; };
describe('a call', () => {
	it('x', async () => {
		const emergencies = [await newOrder(), await newOrder()];
		for (const order of emergencies) await deposit(order, { amount: '0.2' });
		const read = await newOrder();
		for (const order of emergencies) await until(order, 'EMERGENCY');
		const idAndToken = { id: read.id, token: read.token };
		const post = (path: string, body: (run: number) => unknown) => (run: number) => signed(service.current(), partner(), `/api/v1/${path}`, body(run));
		const code = (run: number) => ({ code: `code${run}` });
		const calls: Record<string, (run: number) => Promise<Answer>> = {
			currencies: () => call(service.current(), '/api/v1/currencies', {}),
			pairs: () => call(service.current(), '/api/v1/pairs', {}),
			price: post('price', () => ({ type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' })),
			create: post('create', () => createBody()),
			order: post('order', () => idAndToken),
			emergency: post('emergency', (run) => ({ id: emergencies[run]?.id, token: emergencies[run]?.token, choice: 'EXCHANGE' })),
			qr: post('qr', () => idAndToken),
			createCode: post('codes', code),
			listCodes: () => signed(service.current(), partner(), '/api/v1/codes', '', { method: 'GET' }),
			disableCode: (run) => signed(service.current(), partner(), '/api/v1/codes', code(run), { method: 'DELETE' }),
			enableCode: post('codes/enable', code),
			rotateKeys: post('keys/rotate', () => ({ rotate: ['webhookSecret'] })),
			rates: () => call(service.current(), '/api/rates.xml', undefined, { method: 'GET' }),
		};
		for (const run of [0, 1])
			for (const [id, make] of Object.entries(calls)) {
				await takeAll(service.current());
				const answer = await make(run);
				if (run === 0) { console.log(id, answer.status, answer.code, answer.msg.slice(0,50)); continue; }
				const events = await takeAll(service.current());
				console.log(id, answer.code, events.filter(({ label }) => !/ChainAgent.alarm|RateBook/.test(label)).map((e) => e.label + JSON.stringify(e.counts)).join('\n    '));
			}
	}, 90_000);
});

describe('an order', () => {
	let receiver: WebhookReceiver; let hooked: Credentials;
	beforeAll(async () => { receiver = await startWebhookReceiver(); hooked = await createPartner(service.current(), { webhookUrl: receiver.url }); await create(service.current(), hooked); await create(service.current(), hooked, {fromCcy: 'ETH', toCcy: 'LTC', toAddress: LTC_REFUND, refundAddress: ETH_RECIPIENT, amount: '0.1'}); });
	afterAll(() => receiver.close());
	it('y', async () => {
		const { sql, operator, local } = { ...service.current(), ...service.current() };
		const s = service.current();
		await s.local.runScheduled();
		const t0 = Date.now();
		const before = [...all, ...await takeEvents(s)]; console.log(before.length);
		const idle = idleOf(before);
		console.log('idle', JSON.stringify(idle));
		const pairs = [{}, { fromCcy: 'ETH', toCcy: 'LTC', toAddress: LTC_REFUND, refundAddress: ETH_RECIPIENT, amount: '0.1' }];
		const orders: CreatedOrder[] = [];
		const dump = (l: string, ev: CountedEvent[]) => { console.log(`## ${l} ${Date.now() - t0}`, JSON.stringify(orderOf(ev, idle))); for (const e of ev) if (Object.keys(e.counts).length && !/RateBook/.test(e.label) && !(e.label === 'ChainAgent.alarm' && JSON.stringify(e.counts) === JSON.stringify(idle.poll))) console.log(e.label, JSON.stringify(e.counts)); };
		await s.operator('site/update', { archiveAfterDays: 31 });
		await takeEvents(s);
		for (const pair of pairs) {
			const { data } = await create(s, hooked, pair);
			orders.push(data);
			await s.operator('sandbox/deposit', { orders: [data.id] });
			await eventually('final', async () => { const rows = await s.sql<{ state: string }>('SELECT state FROM transactions WHERE order_id = ?', data.id); return rows.length > 0 && rows.every(({ state }) => state === 'final'); });
			await eventually('sweeps', async () => { await s.sql('UPDATE sweep_candidates SET next_attempt_at = 0'); return (await s.sql('SELECT * FROM sweep_candidates')).length === 0; });
			await eventually('hooks', async () => (await s.sql("SELECT * FROM webhook_events WHERE state = 'due' AND order_id = ?", data.id)).length === 0);
			dump(JSON.stringify(pair), await takeEvents(s));
		}
		const by = 40 * 86400000;
		await s.sql('UPDATE orders SET created_at = created_at - ?1, expires_at = expires_at - ?1, watch_until = watch_until - ?1, updated_at = updated_at - ?1, finished_at = finished_at - ?1', by);
		await s.sql('UPDATE transactions SET planned_at = planned_at - ?1, final_at = final_at - ?1', by);
		await s.sql('UPDATE webhook_events SET created_at = created_at - ?1', by);
		await takeEvents(s);
		const n = (await s.sql('select id from orders')).length;
		await s.local.runScheduled();
		const m = (await s.sql('select id from orders')).length;
		dump(`archive ${n} ${m}`, await takeEvents(s));
		await s.local.runScheduled();
		dump(`prune`, await takeEvents(s));
	}, 90_000);
});
