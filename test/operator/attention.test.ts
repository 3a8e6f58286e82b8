/** `attention` and the other lists: each entry says why something waits, since when, and what to do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOURCES } from '../../src/pricing/sources/table.ts';
import { followRunbook } from '../support/follow-runbook.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, serviceForFile, startTestService, type TestService } from '../support/service.ts';

const service = serviceForFile();
const { run, json } = operatorOf(service.current);
let partner: Credentials;

interface Row {
	readonly area: string;
	readonly subject: string;
	readonly cause: string;
	readonly since: string | null;
	readonly amount: string | null;
	readonly usd: string | null;
	readonly todo: string;
}

const attention = () => service.current().operator<Row[]>('attention');
const rowOf = async (area: string, subject: string) =>
	(await attention()).find((row) => row.area === area && row.subject === subject);
const operator = (command: string, input: unknown) => service.current().operator(command, input);

async function made(more: Record<string, unknown> = {}): Promise<CreatedOrder> {
	const { data, text } = await create(service.current(), partner, more);
	if (!data) throw new Error(text);
	return data;
}

async function inEmergency(): Promise<CreatedOrder> {
	const order = await made();
	await operator('sandbox/deposit', { orders: [order.id], amount: '0.1' });
	await untilStatus(service.current(), partner, order, 'EMERGENCY');
	return order;
}

beforeAll(async () => {
	partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
});

describe('morning', () => {
	it('says in ten lines of 80 characters how the service is, with exit status 0 while all is well', async () => {
		await eventually('nothing to wait', async () => (await attention()).length === 0);
		const { status, stdout, stderr } = await run('morning');
		expect([status, stderr]).toEqual([0, '']);
		const [head, ...lines] = stdout.trimEnd().split('\n');
		expect(head).toMatch(/^WHAT +STATE +SAYS +MORE$/);
		expect(lines.map((line) => line.split(' ')[0]).filter(Boolean)).toEqual([
			'waits',
			'reserves',
			'yesterday',
			'prices',
			'nodes',
			'books',
			'storage',
			'addresses',
			'caps',
			'webhooks',
		]);
		expect(lines.every((line) => line.length <= 80)).toBe(true);
		expect(stdout).toMatch(/^nodes +fine +all 12 networks are scanned +network list$/m);
		expect(stdout).toMatch(/^storage +fine +the database is 1 % full, the journal 1 % +doctor$/m);
	});

	it('counts what waits by its area, with exit status 1', async () => {
		const waiting = await inEmergency();
		const { status, stdout, stderr } = await run('morning');
		expect(stdout).toMatch(/^waits +wrong +order 1 +attention$/m);
		expect([status, stderr]).toEqual([1, 'something is wrong; the line names the command that says more\n']);
		await operator('order/refund', { id: waiting.id });
		await untilStatus(service.current(), partner, waiting, 'EXPIRED');
	});

	it('adds up the orders of the last whole day by the days of their payouts', async () => {
		const { data: today } = await create(service.current(), partner, {});
		await operator('sandbox/deposit', { orders: [today?.id] });
		if (!today) throw new Error('no order');
		await untilStatus(service.current(), partner, today, 'DONE');
		expect((await run('morning')).stdout).toMatch(/^yesterday +fine +0 orders, 0\.00 USD/m);
		const day = 24 * 3_600_000;
		await service
			.current()
			.sql(`UPDATE transactions SET planned_at = planned_at - ${day} WHERE order_id = '${today.id}'`);
		expect((await run('morning')).stdout).toMatch(
			/^yesterday +fine +1 orders, 190\.00 USD; earned \d+\.\d\d; fees \d+\.\d\d +report$/m,
		);
	});
});

describe('attention', () => {
	it('is empty with exit status 0 only while all orders proceed normally', async () => {
		const order = await made();
		await operator('sandbox/deposit', { orders: [order.id] });
		await untilStatus(service.current(), partner, order, 'DONE');
		await eventually('nothing to wait', async () => (await attention()).length === 0);
		const calm = await run('attention', '--json');
		expect([calm.status, calm.stdout, calm.stderr]).toEqual([0, '[]\n', '']);
		const waiting = await inEmergency();
		const { status, stdout, stderr } = await run('attention');
		expect([status, stderr]).toEqual([1, 'something waits; the answer says what, why, and what to do\n']);
		expect(stdout).toMatch(/^AREA +SUBJECT +SINCE +AMOUNT +CAUSE +TODO\n/);
		expect((await run('attention', '--wide')).stdout).toContain(waiting.id);
		await operator('order/finalise', { id: waiting.id, reason: 'test' });
	});

	it('names an order in EMERGENCY, its deposit and how to end it', async () => {
		const order = await inEmergency();
		const row = await rowOf('order', order.id);
		expect(row).toMatchObject({ amount: '0.1 LTC', usd: '9.50' });
		expect(row?.cause).toContain('EMERGENCY (LIMIT)');
		expect(row?.todo).toContain(`order refund ${order.id}`);
		expect(Date.parse(row?.since ?? '')).toBeGreaterThan(Date.now() - 60_000);
	});

	it('names an order whose deposit was dropped, until it is seen again', async () => {
		const order = await made();
		await operator('sandbox/deposit', { orders: [order.id], confirmations: 0 });
		await untilStatus(service.current(), partner, order, 'PENDING');
		expect(await rowOf('order', order.id)).toBeUndefined();
		await operator('sandbox/drop', { order: order.id });
		const row = await eventually('the row', () => rowOf('order', order.id));
		expect(row.cause).toContain('its deposit was dropped');
		await operator('sandbox/deposit', { orders: [order.id] });
		await untilStatus(service.current(), partner, order, 'DONE');
		expect(await rowOf('order', order.id)).toBeUndefined();
	});

	it('names a deposit that came after the payout, which waits for its refund', async () => {
		const order = await made();
		await operator('sandbox/deposit', { orders: [order.id] });
		await untilStatus(service.current(), partner, order, 'DONE');
		await operator('sandbox/deposit', { orders: [order.id], amount: '1' });
		const row = await eventually('the row', () => rowOf('order', order.id));
		expect(row).toMatchObject({ amount: '1 LTC', usd: '95.00', todo: `\`order refund ${order.id}\`` });
	});

	it('says at once that a payout waits for a switch: which one, changed by whom and when; all in one row', async () => {
		const [order, second] = [await made(), await made()];
		await operator('network/update', { name: 'Ethereum', send: false });
		await operator('sandbox/deposit', { orders: [order.id] });
		await untilStatus(service.current(), partner, order, 'EXCHANGE');
		const row = (await attention()).find(({ area, cause }) => area === 'transaction' && cause.includes(order.id));
		expect(row?.cause).toMatch(/^payout of order .* on Ethereum, planned: .*Ethereum/);
		expect(row).toMatchObject({ amount: expect.stringMatching(/^0\.0\d+ ETH$/), usd: '190.00' });
		const [entry] = await service
			.current()
			.sql<{ at: number }>("SELECT max(at) AS at FROM audit_log WHERE subject = 'Ethereum'");
		expect(await rowOf('switch', 'Ethereum')).toMatchObject({
			cause: 'payouts are off, by `network update`',
			since: new Date(entry?.at ?? 0).toISOString(),
			todo: '`network update Ethereum --send on` once the reason has passed',
		});
		// `ledger` lists it too.
		const check = await service.current().operator<{ attention: { orderId: string }[] }>('ledger/check');
		expect(check.attention.map(({ orderId }) => orderId)).toContain(order.id);
		// The second one is in the same row.
		await operator('sandbox/deposit', { orders: [second.id] });
		await untilStatus(service.current(), partner, second, 'EXCHANGE');
		const together = (await attention()).filter(({ area }) => area === 'transaction');
		expect(together).toMatchObject([
			{ subject: 'several', usd: '380.00', since: row?.since, of: [order.id, second.id] },
		]);
		expect(together[0]?.cause).toMatch(/^2 of them: payouts on Ethereum are switched off/);
		await operator('network/update', { name: 'Ethereum', send: true });
		for (const each of [order, second]) await untilStatus(service.current(), partner, each, 'DONE');
		expect((await attention()).filter(({ area }) => area === 'transaction' || area === 'switch')).toEqual([]);
	});

	it('names switches of every kind, also one that was not set by a command', async () => {
		await operator('site/update', { maintenance: true });
		await operator('asset/update', { code: 'DAIPOL', active: false });
		await operator('pair/update', { from: 'BTC', to: 'DASH', active: false });
		await service.current().sql("INSERT INTO network_settings (name, send, receive) VALUES ('Monero', 1, 0)");
		expect(
			(await attention()).filter(({ area }) => area === 'switch').map(({ subject, cause }) => [subject, cause]),
		).toEqual([
			['site', 'maintenance is on: create answers 10, by `site update`'],
			['Monero', 'new deposits are off, by no command that the audit log has'],
			['DAIPOL', 'the asset is off: no new orders, no payouts, by `asset update`'],
			['BTC>DASH', 'the pair is off, by `pair update`'],
		]);
		await operator('site/update', { maintenance: false });
		await operator('asset/update', { code: 'DAIPOL', active: true });
		await operator('pair/update', { from: 'BTC', to: 'DASH', active: true });
		await service.current().sql("DELETE FROM network_settings WHERE name = 'Monero'");
		expect((await attention()).filter(({ area }) => area === 'switch')).toEqual([]);
	});

	it('names transactions of every kind with their stored reason', async () => {
		const order = await inEmergency();
		const since = Date.now() - 120_000;
		const kinds = ['payout', 'refund', 'earnings', 'gas', 'sweep', 'withdrawal', 'consolidation'];
		for (const kind of kinds) {
			const ofOrder = kind === 'payout' || kind === 'refund';
			const ofSweep = kind === 'gas' || kind === 'sweep';
			await service.current().sql(
				`INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, pay_in_address,
					pay_in_index, sweep_asset, state, planned_at, next_attempt_at, waits_kind, waits_facts, waits_since,
					settlement_seal)
				VALUES (?, ?, ?, 'Polygon', 'POL', ?, '2500000000000000000', 63, ?, ?, ?, 'planned', ?, ?, 'broadcast-failed', json_object('error', ?), ?, ?)`,
				`a ${kind}`,
				ofOrder ? order.id : null,
				kind,
				'somewhere',
				ofSweep ? `0x${kind}` : null,
				ofSweep ? 7 : null,
				ofSweep ? 'POL' : null,
				since - 1000,
				Date.now() + 86_400_000,
				`the reason of a ${kind}`,
				since,
				ofOrder ? '' : null,
			);
			const row = await rowOf('transaction', `a ${kind}`);
			expect(row).toMatchObject({ amount: '2.5 POL', usd: '0.63', since: new Date(since).toISOString() });
			expect(row?.cause).toMatch(new RegExp(`^${kind}.*Polygon, planned: the reason of a ${kind}$`));
			await service.current().sql('DELETE FROM transactions WHERE id = ?', `a ${kind}`);
		}
	});

	it('names a hot wallet that cannot pay what it owes', async () => {
		await service.current().sql(
			`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at)
			VALUES ('too much', 'withdrawal', 'Dash', 'DASH', 'x', '50000000000000000', 1, 'planned', ?, ?)`,
			Date.now(),
			Date.now() + 86_400_000,
		);
		const row = await rowOf('wallet', 'DASH');
		expect(row?.cause).toMatch(/^the hot wallet holds \d+(\.\d+)? DASH and owes 500000000 DASH$/);
		expect(row?.amount).toMatch(/^\d{9}(\.\d+)? DASH$/);
		expect(row?.todo).toContain(await service.current().hotAddress('Dash'));
		await service.current().sql("DELETE FROM transactions WHERE id = 'too much'");
		expect(await rowOf('wallet', 'DASH')).toBeUndefined();
	});

	it('names the daily cap once 90 % of it is used', async () => {
		const [{ cents } = { cents: 0 }] = await service
			.current()
			.sql<{ cents: number }>('SELECT max(usd_cents) AS cents FROM daily_volume');
		expect(await rowOf('cap', 'site')).toBeUndefined();
		await operator('site/update', { dailyCapUsd: Math.floor(cents / 91) });
		expect(await rowOf('cap', 'site')).toMatchObject({ todo: expect.stringContaining('--daily-cap-usd') });
		await operator('site/update', { dailyCapUsd: 1_000_000 });
	});

	it('names, per partner, the webhooks that were given up and those that keep failing', async () => {
		const event = (id: string, state: string, attempts: number) =>
			service.current().sql(
				`INSERT INTO webhook_events (id, partner_id, type, body, state, attempts, next_attempt_at, created_at, event_id, endpoint_id)
				VALUES (?1, ?2, 'partner.paid_out', '{}', ?3, ?4, ?5, ?6, ?1, 'none')`,
				id,
				partner.id,
				state,
				attempts,
				Date.now() + 86_400_000,
				Date.now() - 1000,
			);
		await event('ended', 'ended', 11);
		await event('for nobody', 'ended', 1);
		await event('failing', 'due', 3);
		await event('tried once', 'due', 1);
		await service
			.current()
			.sql(
				"INSERT INTO webhook_deliveries (event_id, attempt, at, status, duration_milliseconds) VALUES ('ended', 11, 1, 500, 1)",
			);
		const rows = (await attention()).filter(({ area }) => area === 'webhook');
		expect(rows.map(({ subject, cause }) => [subject, cause.slice(0, 32)])).toEqual([
			[partner.id, '1 webhooks to A partner were given'.slice(0, 32)],
			[partner.id, '1 webhooks to A partner keep failing'.slice(0, 32)],
		]);
		await service.current().sql('DELETE FROM webhook_deliveries');
		await service.current().sql('DELETE FROM webhook_events');
	});
});

describe('while no price source answers', () => {
	let dead: TestService;
	const beside = operatorOf(() => dead);

	beforeAll(async () => {
		const urls = Object.fromEntries(SOURCES.map(({ name }) => [name, 'http://127.0.0.1:1']));
		dead = await startTestService({ PRICES: 'public', PRICE_SOURCE_URLS: JSON.stringify(urls) });
	});
	afterAll(() => dead?.local.stop());

	it('one row of attention says so of all coins, price list and pair list too, and asset list keeps its price column', async () => {
		const rows = await dead.operator<Row[]>('attention');
		const prices = rows.filter(({ area }) => area === 'price');
		expect(prices.map(({ subject }) => subject)).toEqual(['sources']);
		expect(prices[0]?.cause).toMatch(/^0 of 8 price sources answer: no fresh price of BTC, ETH, .*; quotes, orders/);
		const listed = await dead.operator<Record<string, unknown>[]>('price/list');
		expect(listed.every(({ fresh, usd }) => fresh === false && usd === null)).toBe(true);
		const pairs = await dead.operator<Record<string, unknown>[]>('pair/list');
		expect(pairs.filter(({ offered }) => offered)).toEqual([]);
		expect(pairs.find(({ from, to }) => from === 'LTC' && to === 'ETH')?.['why']).toContain('LTC has no fresh price');
		expect((await beside.run('asset', 'list')).stdout.split('\n')[0]).toMatch(/ PRICE USD /);
	});

	it('the runbook shows which sources do not answer, and which coins have no price', async () => {
		const { step, end } = followRunbook('Prices are gone', () => dead);
		await step('attention');
		expect(await step('price sources')).toMatch(/^kraken +no +0 +\S/m);
		expect(await step('price list')).toMatch(/^LTC +- +no /m);
		await end();
	});

	it('a check that fails is a row of its own, and hides no other row', async () => {
		await dead.sql('ALTER TABLE webhook_deliveries RENAME TO elsewhere');
		const rows = await dead.operator<Row[]>('attention');
		await dead.sql('ALTER TABLE elsewhere RENAME TO webhook_deliveries');
		expect(rows.filter(({ area }) => area === 'attention')).toMatchObject([
			{ subject: 'webhooks', cause: 'could not be checked' },
		]);
		expect(rows.some(({ area }) => area === 'price')).toBe(true);
	});
});

describe('price list', () => {
	it('shows every coin with its price, age and sources, and whether it is fresh', async () => {
		const prices = await json<Record<string, unknown>[]>('price', 'list');
		expect(prices.map(({ coin }) => coin)).toEqual(expect.arrayContaining(['BTC', 'LTC', 'USDT']));
		const litecoin = prices.find(({ coin }) => coin === 'LTC');
		expect(litecoin).toMatchObject({ usd: '95', fresh: true, sources: null, spreadBps: null });
		expect(litecoin?.['ageSeconds']).toBeLessThan(60);
		expect((await run('price', 'list')).stdout).toMatch(/^COIN +USD +FRESH +AGE SECONDS +AT +SOURCES +SPREAD BPS\n/);
	});
});

describe('audit list', () => {
	it('shows changes, newest first, by subject and since a time', async () => {
		await operator('pair/update', { from: 'POL', to: 'BTC', minUsd: 41 });
		await operator('pair/update', { from: 'POL', to: 'BTC', minUsd: 42 });
		const list = (...words: string[]) => json<Record<string, unknown>[]>('audit', 'list', ...words);
		const shared = { at: expect.any(String), command: 'pair update', subject: 'POL>BTC', by: 'command' };
		expect(await list('--subject', 'POL>BTC')).toEqual([
			{ ...shared, changes: { minUsd: { from: 41, to: 42 } } },
			{ ...shared, changes: { minUsd: { from: 40, to: 41 } } },
		]);
		expect(await list('--limit', '1')).toHaveLength(1);
		expect((await list('--since', '2h')).length).toBeGreaterThan(2);
		expect(await list('--since', '2999-01-01')).toEqual([]);
		expect(await list('--since', '2026-01-01T00:00Z', '--subject', 'nobody')).toEqual([]);
		const { status, stderr } = await run('audit', 'list', '--since', 'yesterday');
		expect([status, stderr]).toEqual([1, expect.stringContaining('must be a date or time in UTC')]);
	});
});

describe('lists by an unknown id', () => {
	it.each([
		['webhook', 'list', '--partner', 'there is no partner nope'],
		['webhook', 'list', '--order', 'there is no order nope'],
		['order', 'list', '--partner', 'there is no partner nope'],
	])('%s %s %s nope says that it does not exist', async (topic, verb, flag, error) => {
		const { status, stdout, stderr } = await run(topic, verb, flag, 'nope');
		expect([status, stdout, stderr]).toEqual([1, '', `${error}\n`]);
	});
});
