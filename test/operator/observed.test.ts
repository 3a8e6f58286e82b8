/** What the service writes about itself: metrics, and the lines of the log that an order costs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/d1';
import { expect, it } from 'vitest';
import { NETWORK_NAMES } from '../../src/catalog/networks.ts';
import type { Env } from '../../src/env.ts';
import { API_WORKER } from '../../src/local/workers.ts';
import { countRoundTrips } from '../../src/metrics/round-trips.ts';
import { runMinute } from '../../src/operator/alerts/minute.ts';
import { waiting } from '../../src/operator/orders/attention.ts';
import { orders } from '../../src/orders/table.ts';
import { create, untilStatus } from '../support/orders.ts';
import { call, createPartner, partnerForFile } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const service = serviceForFile({ METRICS_LOG: 'on', LOG_LEVEL: 'debug' });
const partner = partnerForFile(service);

/** Lines of a file of the state folder, without their times. */
const linesOf = (name: string): string[] => {
	const path = join(service.current().stateDirectory, name);
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
	const { data: order } = await create(service.current(), partner());
	if (!order) throw new Error('no order');
	await service.current().operator('sandbox/deposit', { orders: [order.id] });
	await untilStatus(service.current(), partner(), order, 'DONE');
	await service.current().local.runScheduled();
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
	expect((await call(service.current(), '/api/v1/price', { fromCcy: 'nope' })).code).toBe(1);
	await eventually('the line', async () => refusals().length > before);
	const [line = '', ...more] = refusals().slice(before);
	expect(more).toEqual([]);
	expect(JSON.parse(line)).toMatchObject({ event: 'refused', level: 'info', kind: 'body-invalid' });
	expect(line.length).toBeLessThan(300);
});

it('calls, networks, prices, transactions, webhooks and broadcasts are measured', async () => {
	const other = await createPartner(service.current());
	const { data: order } = await create(service.current(), other);
	expect(order).not.toBe(null);
	await service.current().local.runScheduled();
	const of = (metric: string, facts: Record<string, unknown>) =>
		eventually(`${metric} ${JSON.stringify(facts)}`, async () =>
			measured(metric).findLast((line) => Object.entries(facts).every(([name, value]) => line[name] === value)),
		);
	// A create asks its gate once and D1 once: the batch that writes the order.
	expect(await of('call', { endpoint: 'create', code: '0' })).toMatchObject({ gateCalls: 1, databaseCalls: 1 });
	// Also in a session of D1.
	expect(await of('call', { endpoint: 'order', code: '0' })).toMatchObject({ gateCalls: 1, databaseCalls: 1 });
	expect(await of('call', { endpoint: 'price', code: '1' })).toMatchObject({ gateCalls: 1, databaseCalls: 0 });
	expect((await of('network', { network: 'Litecoin' }))['lagSeconds']).toBeLessThan(30);
	expect((await of('price', { coin: 'LTC' }))['ageSeconds']).toBeLessThan(60);
	expect(await of('webhooks', { state: 'due' })).toMatchObject({ oldestSeconds: expect.any(Number) });
	expect(await of('attention', { area: 'order' })).toMatchObject({ points: 1, count: 0 });
	expect(await of('broadcast', { network: 'Ethereum', kind: 'payout' })).toMatchObject({ seconds: expect.any(Number) });
});

it('an idle minute asks D1 for little and writes nothing', async () => {
	const bindings = await service.current().local.miniflare.getBindings<Env>(API_WORKER);
	const alerts = { ALERT_WEBHOOK_URL: 'http://127.0.0.1:1/', ALERT_WEBHOOK_SECRET: 'the secret of the alerts' };
	const { env, trips } = countRoundTrips({ ...bindings, ...alerts });
	const agents = new Map(NETWORK_NAMES.map((name) => [name, { lastError: null, freeAddresses: 50 }]));
	await runMinute(env, agents, Date.now());
	const first = trips.database;
	await runMinute(env, agents, Date.now());
	console.log(`an idle minute: ${trips.database - first} round trips to D1`);
	expect(trips.database - first).toBeLessThanOrEqual(10);
});

it('the orders that wait are found by the indexes of what is unfinished, whatever the history', async () => {
	const { DB } = await service.current().local.miniflare.getBindings<Parameters<typeof runMinute>[0]>(API_WORKER);
	const query = drizzle(DB).select({ id: orders.id }).from(orders).where(waiting(Date.now())).toSQL();
	const plan = await service.current().sql<{ detail: string }>(`EXPLAIN QUERY PLAN ${query.sql}`, ...query.params);
	const steps = plan.map(({ detail }) => detail);
	const scans = steps.filter((step) => /^SCAN (?:orders|deposits|transactions)\b/.test(step));
	const indexes = scans.map((step) => /USING (?:COVERING )?INDEX (\w+)/.exec(step)?.[1]);
	expect(new Set(indexes)).toEqual(
		new Set(['orders_moving', 'transactions_blocked', 'transactions_waiting', 'transactions_open']),
	);
	expect(steps.filter((step) => /^SEARCH (?:deposits|transactions)\b/.test(step))).toEqual([
		'SEARCH deposits USING INDEX deposits_by_order (order_id=?)',
		'SEARCH deposits USING INDEX deposits_unclaimed (payout_id=?)',
	]);
});
