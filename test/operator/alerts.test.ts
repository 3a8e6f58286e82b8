/**
 * What the service writes about itself: metrics, and the lines of the log that an order costs. Alerts: what `attention`
 * lists is posted once when it begins to wait, and once when it waits no more.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/d1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NETWORK_NAMES } from '../../src/catalog/networks.ts';
import { API_WORKER, OPERATOR_WORKER } from '../../src/local/workers.ts';
import { runMinute } from '../../src/operator/alerts/minute.ts';
import { commandEnv, keeperOf, type OperatorBindings } from '../../src/operator/env.ts';
import { waiting } from '../../src/operator/orders/attention.ts';
import { orders } from '../../src/orders/table.ts';
import type { Env } from '../../src/ports/env.ts';
import { countedDatabase } from '../support/d1-trips.ts';
import { operatorOf } from '../support/operator.ts';
import { create, untilStatus } from '../support/orders.ts';
import { call, createPartner, partnerForFile, signed } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import {
	type ReceivedWebhook,
	startWebhookReceiver,
	verify,
	type WebhookReceiver,
} from '../support/webhook-receiver.ts';

const SECRET = 'the secret of the alerts';
const MINUTE = 60_000;

let receiver: WebhookReceiver;
let service: TestService;
const { run, json } = operatorOf(() => service);

interface Message {
	readonly id: string;
	readonly type: string;
	readonly text: string;
	readonly data: { readonly key: string; readonly cause: string; readonly goneAt: string | null };
}

const messageOf = ({ json: body }: ReceivedWebhook) => body as Message;
const posted = (key: string) => receiver.received.map(messageOf).filter(({ data }) => data.key === key);
const minute = () => service.local.runScheduled();
const switchOff = (code: string) => service.operator('asset/update', { code, active: false });
const switchOn = (code: string) => service.operator('asset/update', { code, active: true });
/** As if everything had happened so much earlier. */
const letPass = (milliseconds: number) =>
	service.sql('UPDATE alerts SET gone_at = gone_at - ?1, next_attempt_at = next_attempt_at - ?1', milliseconds);
const stored = (key: string) =>
	service.sql<{ state: string; event_id: string; attempts: number }>('SELECT * FROM alerts WHERE key = ?', key);

beforeAll(async () => {
	receiver = await startWebhookReceiver();
	const alerts = { ALERT_WEBHOOK_URL: receiver.url, ALERT_WEBHOOK_SECRET: SECRET };
	service = await startTestService({ ...alerts, METRICS_LOG: 'on', LOG_LEVEL: 'debug' });
});
afterAll(async () => {
	await service?.local.stop();
	await receiver?.close();
});

// The first: nothing waits yet.
describe('while nothing waits,', () => {
	const partner = partnerForFile({ current: () => service });

	/** Lines of a file of the state folder, without their times. */
	const linesOf = (name: string): string[] => {
		const path = join(service.stateDirectory, name);
		const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
		return lines.flatMap((line) => (line.includes('{') ? [line.slice(line.indexOf('{'))] : []));
	};
	const measured = (metric: string) =>
		linesOf('metrics.log')
			.map((line) => JSON.parse(line) as Record<string, unknown>)
			.filter((line) => line['metric'] === metric);
	const levelOf = (line: string): unknown => (JSON.parse(line) as Record<string, unknown>)['level'];

	it('an order that is paid writes no line at info, and at debug a few that are short', async () => {
		const before = linesOf('service.log').length;
		const { data: order } = await create(service, partner());
		if (!order) throw new Error('no order');
		await service.operator('sandbox/deposit', { orders: [order.id] });
		await untilStatus(service, partner(), order, 'DONE');
		await service.local.runScheduled();
		const lines = linesOf('service.log').slice(before);
		const ofOrder = lines.filter((line) => !line.includes('"event":"pool_filled"'));
		console.log(`an order: ${ofOrder.length} lines, ${ofOrder.join('').length} bytes at debug`);
		expect(ofOrder.filter((line) => levelOf(line) !== 'debug')).toEqual([]);
		expect(ofOrder.length).toBeLessThanOrEqual(2);
		expect(ofOrder.join('').length).toBeLessThanOrEqual(500);
	});

	it('a refused call writes one line, of which partners read nothing', async () => {
		const refusals = () => linesOf('service.log').filter((line) => line.startsWith('{"event":"refused"'));
		const before = refusals().length;
		expect((await call(service, '/api/v1/price', { fromCcy: 'nope' })).code).toBe(1);
		await eventually('the line', async () => refusals().length > before);
		const [line = '', ...more] = refusals().slice(before);
		expect(more).toEqual([]);
		expect(JSON.parse(line)).toMatchObject({ event: 'refused', level: 'info', kind: 'body-invalid' });
		expect(line.length).toBeLessThan(300);
	});

	it('calls, networks, prices, transactions, webhooks and broadcasts are measured', async () => {
		const other = await createPartner(service);
		const { data: order } = await create(service, other);
		expect(order).not.toBe(null);
		await service.local.runScheduled();
		const of = (metric: string, facts: Record<string, unknown>) =>
			eventually(`${metric} ${JSON.stringify(facts)}`, async () =>
				measured(metric).findLast((line) => Object.entries(facts).every(([name, value]) => line[name] === value)),
			);
		for (const [endpoint, code] of [
			['create', '0'],
			['order', '0'],
			['price', '1'],
		])
			expect(await of('call', { endpoint, code })).toMatchObject({ milliseconds: expect.any(Number) });
		expect((await of('network', { network: 'Litecoin' }))['lagSeconds']).toBeLessThan(30);
		expect((await of('price', { coin: 'LTC' }))['ageSeconds']).toBeLessThan(60);
		expect(await of('webhooks', { state: 'due' })).toMatchObject({ oldestSeconds: expect.any(Number) });
		expect(await of('attention', { area: 'order' })).toMatchObject({ points: 1, count: 0 });
		expect(await of('broadcast', { network: 'Ethereum', kind: 'payout' })).toMatchObject({
			seconds: expect.any(Number),
		});
	});

	it('an idle minute asks D1 for little and writes nothing', async () => {
		const bindings = await service.local.miniflare.getBindings<OperatorBindings>(OPERATOR_WORKER);
		const told = await keeperOf(bindings).told();
		const alerts = { ALERT_WEBHOOK_URL: 'http://127.0.0.1:1/', ALERT_WEBHOOK_SECRET: 'the secret of the alerts' };
		const { DB } = await service.local.miniflare.getBindings<Env>(API_WORKER);
		const { database, asked } = countedDatabase(DB);
		const env = { ...commandEnv(bindings, told), ...alerts, DB: database };
		const agents = new Map(
			NETWORK_NAMES.map((name) => [
				name,
				{ lastError: null, freeAddresses: 50, height: null, version: { id: '', tag: '', migration: '' } },
			]),
		);
		await runMinute(env, async () => agents, Date.now());
		const first = asked();
		await runMinute(env, async () => agents, Date.now());
		console.log(`an idle minute: ${asked() - first} round trips to D1`);
		expect(asked() - first).toBeLessThanOrEqual(15);
	});

	it('the orders that wait are found by the indexes of what is unfinished, whatever the history', async () => {
		const { DB } = await service.local.miniflare.getBindings<Parameters<typeof runMinute>[0]>(API_WORKER);
		const query = drizzle(DB).select({ id: orders.id }).from(orders).where(waiting(Date.now())).toSQL();
		const plan = await service.sql<{ detail: string }>(`EXPLAIN QUERY PLAN ${query.sql}`, ...query.params);
		const steps = plan.map(({ detail }) => detail);
		const scans = steps.filter((step) => /^SCAN (?:orders|deposits|transactions)\b/.test(step));
		const indexes = scans.map((step) => /USING (?:COVERING )?INDEX (\w+)/.exec(step)?.[1]);
		expect(new Set(indexes)).toEqual(
			new Set([
				'orders_moving',
				'orders_refund_asked',
				'transactions_blocked',
				'transactions_waiting',
				'transactions_open',
			]),
		);
		expect(steps.filter((step) => /^SEARCH (?:deposits|transactions)\b/.test(step))).toEqual([
			'SEARCH deposits USING INDEX deposits_by_order (order_id=?)',
			'SEARCH deposits USING INDEX deposits_unclaimed (payout_id=?)',
		]);
	});
});

describe('an alert', () => {
	it('is posted once when something begins to wait, signed like a webhook, however often it is evaluated', async () => {
		await switchOff('DASH');
		await minute();
		await Promise.all([minute(), minute()]);
		const key = 'switch active DASH';
		const [message, ...more] = posted(key);
		expect(more).toEqual([]);
		expect(message).toMatchObject({
			type: 'alert.raised',
			apiVersion: 'v1',
			text: expect.stringMatching(/^switch DASH: .*To do: `asset update DASH --active on`/),
			data: { area: 'switch', subject: 'DASH', since: expect.any(String), goneAt: null },
		});
		const request = receiver.received.find((each) => messageOf(each).data.key === key);
		expect(request && verify(request, SECRET)).toBe(true);
		expect(request?.headers['x-partner-webhook-id']).toBe(message?.id);
		expect(request?.headers['x-partner-webhook-attempt']).toBe('1');
	});

	it('is over only when it was gone for the quiet time, so what flaps is told once', async () => {
		const key = 'switch active DASH';
		await switchOn('DASH');
		await minute();
		await switchOff('DASH');
		await minute();
		await letPass(11 * MINUTE);
		await minute();
		expect(posted(key).map(({ type }) => type)).toEqual(['alert.raised']);
		await switchOn('DASH');
		await minute();
		await letPass(9 * MINUTE);
		await minute();
		expect(posted(key)).toHaveLength(1);
		await letPass(2 * MINUTE);
		await minute();
		expect(posted(key).map(({ type }) => type)).toEqual(['alert.raised', 'alert.over']);
		expect(posted(key)[1]?.data.goneAt).toEqual(expect.any(String));
		expect(await stored(key)).toEqual([]);
	});

	it('that the endpoint does not accept is posted again later, with the same id and body', async () => {
		const key = 'switch active XMR';
		receiver.answer(500);
		await switchOff('XMR');
		await minute();
		await minute();
		expect(posted(key)).toHaveLength(1);
		expect(await json('alert', 'list')).toMatchObject([
			{ key, state: 'raised', attempts: 1, lastError: 'it answered 500' },
		]);
		receiver.answer(200);
		await letPass(MINUTE);
		await minute();
		const [first, second] = receiver.received.filter((each) => messageOf(each).data.key === key);
		expect(second?.rawBody).toEqual(first?.rawBody);
		expect(second?.headers['x-partner-webhook-attempt']).toBe('2');
		expect(await json('alert', 'list')).toMatchObject([{ key, state: 'told', lastError: null }]);
	});

	it('whose answer was lost is posted again with the same id, and nothing is lost', async () => {
		const key = 'switch active SOL';
		await switchOff('SOL');
		await minute();
		const [{ event_id: id } = { event_id: '' }] = await stored(key);
		// As a crash between the post and its record would leave it.
		await service.sql("UPDATE alerts SET state = 'raised', next_attempt_at = 0 WHERE key = ?", key);
		await minute();
		expect(posted(key).map((message) => message.id)).toEqual([id, id]);
	});

	it('is not over because its part of the list could not be read', async () => {
		await service.sql('ALTER TABLE audit_log RENAME TO elsewhere');
		await minute();
		await service.sql('ALTER TABLE elsewhere RENAME TO audit_log');
		expect(posted('attention switches')).toHaveLength(1);
		expect(await service.sql("SELECT key FROM alerts WHERE area = 'switch' AND gone_at IS NOT NULL")).toEqual([]);
	});

	it('says that the database does not answer, once, where nothing can be stored', async () => {
		await service.sql('ALTER TABLE alerts RENAME TO elsewhere');
		await minute();
		await minute();
		await service.sql('ALTER TABLE elsewhere RENAME TO alerts');
		const messages = posted('attention all');
		expect(messages).toHaveLength(1);
		expect(messages[0]).toMatchObject({ type: 'alert.raised', id: expect.stringMatching(/^attention-unread-\d+$/) });
	});
});

describe('an incident', () => {
	it('waits in attention and is told, until a person clears it', async () => {
		await service.sql(
			`INSERT INTO incidents VALUES ('index-counter-lost', 'Litecoin', 'from 5 to 1000005', 1, ?1, ?1),
				('call-failed', '/api/v1/order', 'Error: it is long over', 3, 1, 1)`,
			Date.now(),
		);
		await minute();
		expect(posted('incident index-counter-lost Litecoin')).toHaveLength(1);
		const rows = await service.operator<{ area: string; subject: string; todo: string }[]>('attention');
		expect(rows.filter(({ area }) => area === 'incident')).toMatchObject([
			{ subject: 'Litecoin', todo: expect.stringContaining('`alert clear index-counter-lost Litecoin`') },
		]);
		await json('alert', 'clear', 'index-counter-lost', 'Litecoin');
		const again = await run('alert', 'clear', 'index-counter-lost', 'Litecoin');
		expect([again.status, again.stderr]).toEqual([1, 'there is no incident index-counter-lost of Litecoin\n']);
		const [entry] = await service.operator<{ command: string }[]>('audit/list', { limit: 1 });
		expect(entry).toMatchObject({ command: 'alert clear', subject: 'Litecoin' });
	});

	it('is noted when a call fails with code 99, and is one row however many calls fail', async () => {
		const partner = await createPartner(service);
		await service.sql('ALTER TABLE reference_codes RENAME TO elsewhere');
		const codes = await Promise.all(
			[1, 2, 3].map(() => signed(service, partner, '/api/v1/codes', '', { method: 'GET' })),
		);
		await service.sql('ALTER TABLE elsewhere RENAME TO reference_codes');
		expect(codes.map(({ code }) => code)).toEqual([99, 99, 99]);
		const noted = () => service.sql("SELECT subject, times FROM incidents WHERE kind = 'call-failed' AND last_at > 1");
		await eventually('the incident', async () => (await noted()).length > 0);
		expect(await noted()).toEqual([{ subject: '/api/v1/codes', times: 1 }]);
	});

	it('is a difference between books and wallets that two comparisons in a row found', async () => {
		const due = () => service.sql('UPDATE periodic_checks SET due_at = 0');
		const differences = () =>
			service.sql<{ subject: string; detail: string }>("SELECT * FROM incidents WHERE kind = 'books-differ'");
		await due();
		await minute();
		expect(await differences()).toEqual([]);
		const { data: order } = await create(service, await createPartner(service));
		const add = (cause: string, amount: string) =>
			service.sql(
				"INSERT INTO ledger_entries VALUES (null, ?, ?, 'house', 'LTC', ?, ?)",
				order?.id,
				cause,
				amount,
				Date.now(),
			);
		await add('made up', '12345');
		await due();
		await minute();
		expect(await differences()).toEqual([]);
		await due();
		await minute();
		expect(await differences()).toMatchObject([
			{ subject: 'kept balances', detail: 'totals: all accounts' },
			{ subject: 'orders', detail: `order ${order?.id} does not add up to zero` },
		]);
		await minute();
		expect(posted('incident books-differ orders')).toHaveLength(1);
		await add('made up and taken back', '-12345');
		await due();
		await minute();
		expect(await differences()).toEqual([]);
	});
});

describe('alert test', () => {
	it('posts a signed test event, and fails where the endpoint does not accept it', async () => {
		receiver.clear();
		expect(await json('alert', 'test')).toMatchObject({ accepted: true, host: new URL(receiver.url).host });
		const [request] = receiver.received;
		expect(request && verify(request, SECRET)).toBe(true);
		expect(request && messageOf(request).type).toBe('alert.test');
		receiver.answer(403);
		const { status, stderr } = await run('alert', 'test');
		expect([status, stderr]).toEqual([1, `${new URL(receiver.url).host} did not accept the test: it answered 403\n`]);
		receiver.answer(200);
	});
});
