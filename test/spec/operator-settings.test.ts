/** What the operator sets, and its effect on partners' calls (operator.md): each command as a process of its own. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, call, createPartner, signed } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';
import { startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** Dash is on nodes, none of which answers; all else is on the sandbox. */
const service = serviceForFile({ NODE_URL_DASH: 'http://user:password@127.0.0.1:1/wallet/exchange' });
const { run, json } = operatorOf(service.current);
const QUOTE = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' };
let partner: Credentials;
let receiver: WebhookReceiver;

beforeAll(async () => {
	receiver = await startWebhookReceiver();
	partner = await createPartner(service.current(), { webhookUrl: receiver.url, afftaxBps: 100 });
});
afterAll(() => receiver.close());

interface Quote {
	readonly from: { readonly min: string; readonly max: string; readonly rate: string };
}
interface Listed {
	readonly code: string;
	readonly send: boolean;
	readonly from: string;
	readonly to: string;
}

const price = () => signed<Quote>(service.current(), partner, '/api/v1/price', QUOTE);
const make = (more: Record<string, unknown> = {}) => create(service.current(), partner, more);
const listed = async (path: 'currencies' | 'pairs') =>
	(await call<Listed[]>(service.current(), `/api/v1/${path}`, {})).data;

/** What the command says is wrong: one line, exit status 1, nothing on standard output. */
function refusal(...words: string[]): string {
	const { status, stdout, stderr } = run(...words);
	expect([status, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1]);
	return stderr.trim();
}

async function swapped(): Promise<CreatedOrder> {
	const { data: order } = await make();
	json('sandbox', 'deposit', order.id);
	await untilStatus(service.current(), partner, order, 'DONE');
	return order;
}

describe('site', () => {
	it('show gives the settings, which are the defaults of decisions.md', () => {
		expect(json('site', 'show')).toEqual({
			maintenance: false,
			dailyCapUsd: 1_000_000,
			baseFeeBps: 50,
			depositWindowSeconds: 3600,
			unpaidShareBps: 2500,
			today: { day: new Date().toISOString().slice(0, 10), usedUsd: '0.00', leftUsd: '1000000.00' },
			signer: {
				day: new Date().toISOString().slice(0, 10),
				...{ payoutCapUsd: '1000000.00', payoutUsedUsd: '0.00', payoutLeftUsd: '1000000.00' },
				...{ refundCapUsd: '5000000.00', refundUsedUsd: '0.00', refundLeftUsd: '5000000.00' },
			},
		});
	});

	it('show says what today has used of the service’s cap and of the signer’s', async () => {
		const used = () => {
			const { today, signer } = json<{ today: { usedUsd: string }; signer: { payoutUsedUsd: string } }>('site', 'show');
			return [Number(today.usedUsd), Number(signer.payoutUsedUsd)] as const;
		};
		const before = used();
		await swapped();
		const [ordered, signed] = used();
		expect(ordered - before[0]).toBeCloseTo(190, 2);
		// The signer counts what the payout cost as well.
		expect(signed - before[1]).toBeGreaterThan(190);
		expect(signed - before[1]).toBeLessThan(191);
	});

	it('in maintenance create is 10, while replays, reads and quotes work; off, and create works again', async () => {
		const headers = { 'idempotency-key': randomUUID() };
		const { data: order } = await create(service.current(), partner, {}, { headers });
		expect(json('site', 'update', '--maintenance', 'on')).toMatchObject({ maintenance: true });
		const refused = await make();
		expect([refused.status, refused.code, refused.msg]).toEqual([503, 10, 'MAINTENANCE']);
		const replay = await create(service.current(), partner, {}, { headers });
		expect([replay.code, replay.data.id, replay.data.token]).toEqual([0, order.id, null]);
		expect((await readOrder(service.current(), partner, order)).status).toBe('NEW');
		expect((await price()).code).toBe(0);
		json('site', 'update', '--maintenance', 'off');
		expect((await make()).code).toBe(0);
	});

	it('the base fee moves the rate of the next quote', async () => {
		const before = (await price()).data.from.rate;
		json('site', 'update', '--base-fee-bps', '900');
		// 95 / 3200 × (1 − 10 %), the partner's 1 % included.
		expect((await price()).data.from.rate).toBe('0.02671875');
		json('site', 'update', '--base-fee-bps', '50');
		expect((await price()).data.from.rate).toBe(before);
	});

	it('the deposit window is that of the next order, and no other', async () => {
		const { data: older } = await make();
		json('site', 'update', '--deposit-window-seconds', '120');
		const { data: order } = await make();
		expect(order.time.expiration - order.time.reg).toBe(120);
		const { time } = await readOrder(service.current(), partner, older);
		expect(time.expiration - time.reg).toBe(3600);
		json('site', 'update', '--deposit-window-seconds', '3600');
	});

	it('above the daily cap create is 8; unpaid, expired orders give their share back', async () => {
		const { sql } = service.current();
		const [used] = await sql<{ usd_cents: number }>('SELECT usd_cents FROM daily_volume ORDER BY day DESC LIMIT 1');
		const cap = Math.ceil((used?.usd_cents ?? 0) / 100) + 200;
		// One partner makes all the orders here: he may hold all that the cap allows.
		json('site', 'update', '--daily-cap-usd', String(cap), '--unpaid-share-bps', '10000');
		const { data: order } = await make();
		const refused = await make();
		expect([refused.status, refused.code, refused.msg]).toEqual([400, 8, 'LIMIT_MAX']);
		await sql('UPDATE orders SET expires_at = created_at WHERE id = ?', order.id);
		await untilStatus(service.current(), partner, order, 'EXPIRED');
		expect((await make()).code).toBe(0);
		json('site', 'update', '--daily-cap-usd', '1000000', '--unpaid-share-bps', '2500');
	});

	it('refuses what is out of bounds, in one line', () => {
		expect(refusal('site', 'update', '--deposit-window-seconds', '59')).toContain('from 60 to 86400');
		expect(refusal('site', 'update', '--base-fee-bps', '2001')).toContain('from 0 to 2000');
		expect(refusal('site', 'update', '--unpaid-share-bps', '10001')).toContain('from 0 to 10000');
	});
});

describe('pair', () => {
	it('list shows every pair with what holds for it', () => {
		const pairs = json<Record<string, unknown>[]>('pair', 'list');
		const assets = json<unknown[]>('asset', 'list').length;
		expect(pairs).toHaveLength(assets * (assets - 1));
		const pair = { from: 'LTC', to: 'ETH', active: true, minUsd: 40, maxUsd: 50_000 };
		expect(pairs).toContainEqual({ ...pair, offered: true, why: null });
		expect(run('pair', 'list').stdout).toMatch(/^FROM +TO +ACTIVE +MIN USD +MAX USD +OFFERED +WHY\n/);
	});

	it('list says of a pair that is not offered why not: all that stands against it', async () => {
		const { operator } = service.current();
		const why = async (from: string, to: string) =>
			(await operator<{ from: string; to: string; offered: boolean; why: string | null }[]>('pair/list')).find(
				(pair) => pair.from === from && pair.to === to,
			);
		expect(await why('LTC', 'DASH')).toMatchObject({ offered: false, why: 'Dash was not scanned lately' });
		await operator('site/update', { maintenance: true });
		await operator('asset/update', { code: 'BTC', active: false });
		await operator('network/update', { name: 'Tron', send: false });
		await operator('pair/update', { from: 'BTC', to: 'TRX', active: false });
		expect((await why('BTC', 'TRX'))?.why).toBe(
			'the site is in maintenance; the pair is off; BTC is off; payouts on Tron are off',
		);
		expect((await why('TRX', 'LTC'))?.why).toBe('the site is in maintenance');
		await operator('site/update', { maintenance: false });
		await operator('asset/update', { code: 'BTC', active: true });
		await operator('network/update', { name: 'Tron', send: true });
		const again = await operator('pair/update', { from: 'BTC', to: 'TRX', active: true });
		expect(again).toMatchObject({ offered: true, why: null });
	});

	it('an inactive pair is left out of pairs, and price and create are 1', async () => {
		json('pair', 'update', 'ltc', 'ETH', '--active', 'false');
		const names = (await listed('pairs')).map(({ from, to }) => `${from}>${to}`);
		expect(names).not.toContain('LTC>ETH');
		expect(names).toContain('ETH>LTC');
		expect([(await price()).code, (await make()).code]).toEqual([1, 1]);
		json('pair', 'update', 'LTC', 'ETH', '--active', 'true');
		expect([(await price()).code, (await make()).code]).toEqual([0, 0]);
	});

	it('its bounds are from.min and from.max, below which create is 7 and above which 8', async () => {
		const after = json('pair', 'update', 'LTC', 'ETH', '--min-usd', '95', '--max-usd', '285');
		expect(after).toMatchObject({ active: true, minUsd: 95, maxUsd: 285 });
		expect((await price()).data.from).toMatchObject({ min: '1', max: '3' });
		const codes = [];
		for (const amount of ['0.99999999', '1', '3', '3.00000001']) codes.push((await make({ amount })).code);
		expect(codes).toEqual([7, 0, 0, 8]);
		json('pair', 'update', 'LTC', 'ETH', '--min-usd', '40', '--max-usd', '50000');
	});

	it('refuses what makes no sense, in one line', () => {
		expect(refusal('pair', 'update', 'LTC', 'ETH', '--min-usd', '60000')).toContain('above the maximum of 50000 USD');
		expect(refusal('pair', 'update', 'LTC', 'LTC', '--active', 'false')).toContain('two different assets');
		expect(refusal('pair', 'update', 'LTC', 'GOLD', '--active', 'false')).toContain('to: is not an asset');
	});
});

describe('asset', () => {
	it('list shows price, network fee, balance, reserve and switches', () => {
		expect(json<unknown[]>('asset', 'list')).toContainEqual({
			code: 'ETH',
			coin: 'ETH',
			network: 'Ethereum',
			active: true,
			reserve: null,
			beyondReserve: false,
			recv: true,
			send: true,
			balance: expect.stringMatching(/^(100000000|99999999\.\d+)$/),
			priceUsd: '3200',
			networkFee: '0.00005',
		});
	});

	it('an inactive asset is in no currency and no pair', async () => {
		json('asset', 'update', 'LTC', '--active', 'false');
		expect((await listed('currencies')).map(({ code }) => code)).not.toContain('LTC');
		expect((await listed('pairs')).filter(({ from, to }) => from === 'LTC' || to === 'LTC')).toEqual([]);
		expect((await make()).code).toBe(1);
		json('asset', 'update', 'LTC', '--active', 'true');
		expect((await make()).code).toBe(0);
	});

	it('the reserve is kept beside the switch, exactly, and none takes it away', () => {
		expect(json('asset', 'update', 'eth', '--reserve', '012.500')).toMatchObject({ reserve: '12.5', active: true });
		expect(json('asset', 'update', 'ETH', '--active', 'true')).toMatchObject({ reserve: '12.5' });
		expect(json('asset', 'update', 'ETH', '--reserve', 'none')).toMatchObject({ reserve: null });
		expect(refusal('asset', 'update', 'LTC', '--reserve', '0.123456789')).toContain('at most 8 decimals');
		expect(refusal('asset', 'update', 'GOLD', '--active', 'false')).toContain('not an asset');
	});
});

describe('network', () => {
	it('list shows what each runs on, whether it answers, and free addresses', () => {
		const litecoin = json<Record<string, unknown>[]>('network', 'list').find(({ name }) => name === 'Litecoin');
		expect(litecoin).toMatchObject({ mode: 'sandbox', send: true, receive: true, answers: true });
		expect(Date.parse(String(litecoin?.['lastScannedAt']))).toBeGreaterThan(Date.now() - 60_000);
		expect(litecoin?.['freeAddresses']).toBeGreaterThan(20);
		const dash = json<Record<string, unknown>[]>('network', 'list').find(({ name }) => name === 'Dash');
		expect(dash).toMatchObject({ mode: 'nodes', answers: false, lastScannedAt: null, freeAddresses: 0 });
	});

	it('attention names one that is not scanned and has no addresses, with its last error', () => {
		const rows = JSON.parse(run('attention', '--json').stdout) as Record<string, string>[];
		const ofDash = rows.filter(({ subject }) => subject === 'Dash');
		expect(ofDash.map(({ area }) => area)).toEqual(['network', 'addresses']);
		expect(ofDash[0]?.['cause']).toMatch(/^never scanned, so it takes no new orders: \S/);
		expect(ofDash[0]?.['todo']).toContain('network check Dash');
		expect(JSON.stringify(rows)).not.toContain('password');
	});

	it('send false: its currencies say so, no pair pays out there, and what is owed waits until it is true', async () => {
		const { data: order } = await make();
		json('network', 'update', 'ethereum', '--send', 'false');
		expect((await listed('currencies')).find(({ code }) => code === 'ETH')?.send).toBe(false);
		const pairs = await listed('pairs');
		expect(pairs.filter(({ to }) => to === 'ETH')).toEqual([]);
		expect(pairs.filter(({ from }) => from === 'ETH')).not.toEqual([]);
		expect((await make()).code).toBe(1);
		json('sandbox', 'deposit', order.id);
		await untilStatus(service.current(), partner, order, 'EXCHANGE');
		await new Promise((wait) => setTimeout(wait, 2_500));
		expect((await readOrder(service.current(), partner, order)).status).toBe('EXCHANGE');
		json('network', 'update', 'Ethereum', '--send', 'true');
		await untilStatus(service.current(), partner, order, 'DONE');
	});

	it('receive false: not listed, while it is still paid out', async () => {
		json('network', 'update', 'Litecoin', '--receive', 'false');
		expect((await listed('currencies')).map(({ code }) => code)).not.toContain('LTC');
		const pairs = await listed('pairs');
		expect(pairs.filter(({ from }) => from === 'LTC')).toEqual([]);
		expect(pairs.filter(({ to }) => to === 'LTC')).not.toEqual([]);
		json('network', 'update', 'Litecoin', '--receive', 'true');
		expect(refusal('network', 'update', 'Narnia', '--send', 'false')).toContain('not a network');
	});
});

describe('every change', () => {
	it('is in the audit log with what changed; what changes nothing is not', async () => {
		const entries = () =>
			service
				.current()
				.sql<{ subject: string; changes: string }>(
					"SELECT subject, changes FROM audit_log WHERE command = 'pair update' AND subject = 'DASH>LTC'",
				);
		json('pair', 'update', 'DASH', 'LTC', '--max-usd', '900');
		json('pair', 'update', 'DASH', 'LTC', '--max-usd', '900', '--active', 'true');
		const [entry, ...more] = await entries();
		expect(more).toEqual([]);
		expect(JSON.parse(entry?.changes ?? '')).toEqual({ maxUsd: { from: 50_000, to: 900 } });
	});

	it('of many at once none is mixed with another: each is made whole, or refused', async () => {
		const { operator, sql } = service.current();
		const outcomes = await Promise.allSettled(
			[100, 200, 300, 400].map((minUsd) =>
				operator('pair/update', { from: 'DASH', to: 'BTC', minUsd, maxUsd: minUsd + 50 }),
			),
		);
		const made = outcomes.filter(({ status }) => status === 'fulfilled').length;
		const [row] = await sql<{ min_usd: number; max_usd: number }>(
			"SELECT min_usd, max_usd FROM pair_settings WHERE from_asset = 'DASH' AND to_asset = 'BTC'",
		);
		const logged = await sql("SELECT id FROM audit_log WHERE subject = 'DASH>BTC'");
		expect((row?.max_usd ?? 0) - (row?.min_usd ?? 0)).toBe(50);
		expect([made > 0, logged.length]).toEqual([true, made]);
		for (const outcome of outcomes) {
			if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('somebody else meanwhile');
		}
	});
});

describe('webhook', () => {
	it('redeliver sends again, with the same id and body, also what was delivered', async () => {
		const order = await swapped();
		const events = await eventually('three delivered webhooks', async () => {
			const list = json<Record<string, unknown>[]>('webhook', 'list', '--order', order.id);
			return list.length === 3 && list.every(({ state }) => state === 'delivered') && list;
		});
		expect(events.map(({ sequence }) => sequence)).toEqual([3, 2, 1]);
		expect(events[0]).toMatchObject({ lastStatus: 200, attempts: 1, partnerId: partner.id, orderId: order.id });
		const id = String(events[0]?.['id']);
		const isOurs = ({ headers }: { headers: Record<string, unknown> }) => headers['x-partner-webhook-id'] === id;
		const first = await receiver.waitFor(isOurs);
		json('webhook', 'redeliver', id);
		const second = await receiver.waitFor((one) => isOurs(one) && one !== first);
		expect(second.rawBody.equals(first.rawBody)).toBe(true);
		expect(verify(second, partner.webhookSecret)).toBe(true);
		expect(refusal('webhook', 'redeliver', 'nothing')).toBe('there is no webhook nothing');
	});

	it('list --failed shows what was tried and not delivered, until it is', async () => {
		receiver.answer(500);
		const other = await createPartner(service.current(), { webhookUrl: receiver.url });
		const { data: order } = await create(service.current(), other);
		json('sandbox', 'deposit', order.id, '--confirmations', '0');
		const failed = () => json<Record<string, unknown>[]>('webhook', 'list', '--failed', '--partner', other.id);
		const [event] = await eventually('a failed webhook', async () => failed().length > 0 && failed());
		expect(event).toMatchObject({ orderId: order.id, state: 'due', lastStatus: 500 });
		expect(json('webhook', 'list', '--failed', '--partner', partner.id)).toEqual([]);
		receiver.answer(200);
		json('webhook', 'redeliver', String(event?.['id']));
		await eventually('the webhook to be delivered', async () => failed().length === 0);
		json('order', 'delete', order.id);
		expect(refusal('webhook', 'redeliver', String(event?.['id']))).toContain('is deleted');
	});
});

describe('earnings', () => {
	it('show adds up what is owed in each asset, exactly, with its value now', async () => {
		const other = await createPartner(service.current(), { afftaxBps: 200 });
		const orders = [];
		for (const body of [{}, { amount: '3' }]) orders.push((await create(service.current(), other, body)).data);
		json('sandbox', 'deposit', ...orders.map(({ id }) => id));
		for (const order of orders) await untilStatus(service.current(), other, order, 'DONE');
		// 2 % of 5 LTC at 95 USD, in ETH at 3200 USD: 475 / 3200 × 0.02.
		expect(json('earnings', 'show', other.id)).toMatchObject({
			partnerId: other.id,
			earnedUsd: '9.50',
			owedUsd: '9.50',
			owed: [{ asset: 'ETH', amount: '0.00296875', baseUnits: '2968750000000000', usd: '9.50' }],
		});
		expect(refusal('earnings', 'show', 'nobody')).toBe('there is no partner nobody');
	});
});

describe('ledger check', () => {
	interface Check {
		readonly differences: number;
		readonly unchecked: number;
		readonly unbalanced: readonly Record<string, unknown>[];
		readonly wallets: readonly { readonly asset: string; readonly result: string; readonly difference: string }[];
		readonly orders: number;
	}

	/** The answer of a check that cannot ask Dash, and is right in everything else. */
	function checked(): Check {
		const { status, stdout, stderr } = run('ledger', 'check', '--json');
		expect([status, stderr]).toEqual([3, 'not every wallet could be compared; the answer says which not\n']);
		return JSON.parse(stdout) as Check;
	}

	it('agrees with the wallets after swaps, deposits that are not booked included', async () => {
		const { data: order } = await make();
		json('sandbox', 'deposit', order.id, '--confirmations', '0');
		await untilStatus(service.current(), partner, order, 'PENDING');
		const check = checked();
		expect(check).toMatchObject({ differences: 0, unbalanced: [] });
		expect(check.orders).toBeGreaterThan(3);
		const others = check.wallets.filter(({ asset }) => asset !== 'DASH');
		expect(new Set(others.map(({ result }) => result))).toEqual(new Set(['ok']));
	});

	it('calls an asset that it cannot compare unchecked, with the reason, never ok, and exits 3', () => {
		const { unchecked, wallets } = checked();
		expect(unchecked).toBe(1);
		expect(wallets.filter(({ result }) => result === 'unchecked')).toMatchObject([
			{ asset: 'DASH', held: null, reason: 'the network does not answer now' },
		]);
	});

	it('exits 1 and names order and wallet when one entry is tampered with', async () => {
		const { sql } = service.current();
		const [entry] = await sql<{ order_id: string; amount: string }>(
			"SELECT order_id, amount FROM ledger_entries WHERE account = 'wallet' AND asset = 'LTC' LIMIT 1",
		);
		const set = (amount: string | undefined) =>
			sql(
				"UPDATE ledger_entries SET amount = ? WHERE order_id = ? AND account = 'wallet' AND asset = 'LTC'",
				amount,
				entry?.order_id,
			);
		await set((BigInt(entry?.amount ?? '0') + 1n).toString());
		const { status, stdout, stderr } = run('ledger', 'check', '--json');
		expect([status, stderr]).toEqual([1, 'the books differ; the answer says where\n']);
		const check = JSON.parse(stdout) as Check;
		expect(check.differences).toBe(2);
		expect(check.unbalanced).toEqual([{ order: entry?.order_id, asset: 'LTC', sum: '0.00000001' }]);
		expect(check.wallets.filter(({ result }) => result === 'differs')).toMatchObject([
			{ asset: 'LTC', difference: '-0.00000001' },
		]);
		await set(entry?.amount);
		expect(run('ledger', 'check').status).toBe(3);
	});
});
