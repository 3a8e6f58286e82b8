/**
 * The operator's commands for pairs, assets and networks, and their effect on partners' calls; those for webhooks,
 * earnings and the ledger check. Both need a network that does not answer.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, call, createPartner, signed } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';
import { startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** Dash is on nodes that do not answer; all other networks are on the sandbox. */
const service = serviceForFile({ NODE_URL_DASH: 'http://user:password@127.0.0.1:1/wallet/exchange' });
const { run, json, refusal } = operatorOf(service.current);
const QUOTE = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' };
let partner: Credentials;

beforeAll(async () => {
	partner = await createPartner(service.current());
});

interface Quote {
	readonly from: { readonly min: string; readonly max: string };
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

describe('pair', () => {
	it('list shows every pair with its settings', async () => {
		const pairs = await json<Record<string, unknown>[]>('pair', 'list');
		const assets = (await json<unknown[]>('asset', 'list')).length;
		expect(pairs).toHaveLength(assets * (assets - 1));
		const pair = { from: 'LTC', to: 'ETH', active: true, minUsd: 40, maxUsd: 50_000 };
		expect(pairs).toContainEqual({ ...pair, offered: true, why: null });
		expect((await run('pair', 'list')).stdout).toMatch(/^FROM +TO +ACTIVE +MIN USD +MAX USD +OFFERED +WHY\n/);
	});

	it('list gives every reason why a pair is not offered', async () => {
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
		await json('pair', 'update', 'ltc', 'ETH', '--active', 'false');
		const names = (await listed('pairs')).map(({ from, to }) => `${from}>${to}`);
		expect(names).not.toContain('LTC>ETH');
		expect(names).toContain('ETH>LTC');
		expect([(await price()).code, (await make()).code]).toEqual([1, 1]);
		await json('pair', 'update', 'LTC', 'ETH', '--active', 'true');
		expect([(await price()).code, (await make()).code]).toEqual([0, 0]);
	});

	it('its bounds are from.min and from.max; create answers 7 below and 8 above', async () => {
		const after = await json('pair', 'update', 'LTC', 'ETH', '--min-usd', '95', '--max-usd', '285');
		expect(after).toMatchObject({ active: true, minUsd: 95, maxUsd: 285 });
		expect((await price()).data.from).toMatchObject({ min: '1', max: '3' });
		const codes = [];
		for (const amount of ['0.99999999', '1', '3', '3.00000001']) codes.push((await make({ amount })).code);
		expect(codes).toEqual([7, 0, 0, 8]);
		await json('pair', 'update', 'LTC', 'ETH', '--min-usd', '40', '--max-usd', '50000');
	});

	it('refuses invalid values, in one line', async () => {
		expect(await refusal('pair', 'update', 'LTC', 'ETH', '--min-usd', '60000')).toContain(
			'above the maximum of 50000 USD',
		);
		expect(await refusal('pair', 'update', 'LTC', 'LTC', '--active', 'false')).toContain('two different assets');
		expect(await refusal('pair', 'update', 'LTC', 'GOLD', '--active', 'false')).toContain('TO is not an asset');
	});
});

describe('asset', () => {
	it('list shows price, network fee, balance, reserve and switches', async () => {
		expect(await json<unknown[]>('asset', 'list')).toContainEqual({
			code: 'ETH',
			coin: 'ETH',
			network: 'Ethereum',
			active: true,
			reserve: null,
			target: null,
			surchargeBps: 0,
			discountBps: 0,
			leanInBps: 0,
			leanOutBps: 0,
			beyondReserve: false,
			recv: true,
			send: true,
			balance: expect.stringMatching(/^(100000000|99999999\.\d+)$/),
			priceUsd: '3200',
			networkFee: '0.00005',
			bestchangeCode: 'ETH',
			fixedfloatCode: 'ETH',
		});
	});

	it('an inactive asset is in no currencies and no pairs', async () => {
		await json('asset', 'update', 'LTC', '--active', 'false');
		expect((await listed('currencies')).map(({ code }) => code)).not.toContain('LTC');
		expect((await listed('pairs')).filter(({ from, to }) => from === 'LTC' || to === 'LTC')).toEqual([]);
		expect((await make()).code).toBe(1);
		await json('asset', 'update', 'LTC', '--active', 'true');
		expect((await make()).code).toBe(0);
	});

	it('the reserve is kept exactly when the switch changes, and `none` removes it', async () => {
		expect(await json('asset', 'update', 'eth', '--reserve', '012.500')).toMatchObject({
			reserve: '12.5',
			active: true,
		});
		expect(await json('asset', 'update', 'ETH', '--active', 'true')).toMatchObject({ reserve: '12.5' });
		expect(await json('asset', 'update', 'ETH', '--reserve', 'none')).toMatchObject({ reserve: null });
		expect(await refusal('asset', 'update', 'LTC', '--reserve', '0.123456789')).toContain('at most 8 decimals');
		expect(await refusal('asset', 'update', 'GOLD', '--active', 'false')).toContain('not an asset');
	});
});

describe('network', () => {
	it('list shows each network’s nodes, whether they answer, and free addresses', async () => {
		const litecoin = (await json<Record<string, unknown>[]>('network', 'list')).find(({ name }) => name === 'Litecoin');
		expect(litecoin).toMatchObject({ mode: 'sandbox', send: true, receive: true, answers: true });
		expect(Date.parse(String(litecoin?.['lastScannedAt']))).toBeGreaterThan(Date.now() - 60_000);
		expect(litecoin?.['freeAddresses']).toBeGreaterThan(5);
		const dash = (await json<Record<string, unknown>[]>('network', 'list')).find(({ name }) => name === 'Dash');
		expect(dash).toMatchObject({ mode: 'nodes', answers: false, lastScannedAt: null, freeAddresses: 0 });
	});

	it('attention names one that is not scanned once, also where it has no addresses, with its last error', async () => {
		const rows = JSON.parse((await run('attention', '--json')).stdout) as Record<string, string>[];
		const ofDash = rows.filter(({ subject }) => subject === 'Dash');
		expect(ofDash.map(({ area }) => area)).toEqual(['network']);
		expect(ofDash[0]?.['cause']).toMatch(/^never scanned, so it takes no new orders: \S/);
		expect(ofDash[0]?.['todo']).toContain('network check Dash');
		expect(JSON.stringify(rows)).not.toContain('password');
	});

	it('send false: its currencies say so, no pair pays out there, and payouts wait until it is true', async () => {
		const { data: order } = await make();
		await json('network', 'update', 'ethereum', '--send', 'false');
		expect((await listed('currencies')).find(({ code }) => code === 'ETH')?.send).toBe(false);
		const pairs = await listed('pairs');
		expect(pairs.filter(({ to }) => to === 'ETH')).toEqual([]);
		expect(pairs.filter(({ from }) => from === 'ETH')).not.toEqual([]);
		expect((await make()).code).toBe(1);
		await json('sandbox', 'deposit', order.id);
		await untilStatus(service.current(), partner, order, 'EXCHANGE');
		await new Promise((wait) => setTimeout(wait, 2_500));
		expect((await readOrder(service.current(), partner, order)).status).toBe('EXCHANGE');
		await json('network', 'update', 'Ethereum', '--send', 'true');
		await untilStatus(service.current(), partner, order, 'DONE');
	});

	it('receive false: not listed, but still paid out', async () => {
		await json('network', 'update', 'Litecoin', '--receive', 'false');
		expect((await listed('currencies')).map(({ code }) => code)).not.toContain('LTC');
		const pairs = await listed('pairs');
		expect(pairs.filter(({ from }) => from === 'LTC')).toEqual([]);
		expect(pairs.filter(({ to }) => to === 'LTC')).not.toEqual([]);
		await json('network', 'update', 'Litecoin', '--receive', 'true');
		expect(await refusal('network', 'update', 'Narnia', '--send', 'false')).toContain('not a network');
	});
});

describe('every change', () => {
	it('is in the audit log with what changed; a command that changes nothing is not', async () => {
		const entries = () =>
			service
				.current()
				.sql<{ subject: string; changes: string }>(
					"SELECT subject, changes FROM audit_log WHERE command = 'pair update' AND subject = 'DASH>LTC'",
				);
		await json('pair', 'update', 'DASH', 'LTC', '--max-usd', '900');
		await json('pair', 'update', 'DASH', 'LTC', '--max-usd', '900', '--active', 'true');
		const [entry, ...more] = await entries();
		expect(more).toEqual([]);
		expect(JSON.parse(entry?.changes ?? '')).toEqual({ maxUsd: { from: 50_000, to: 900 } });
	});

	it('made concurrently is applied whole or refused, never mixed with another', async () => {
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

describe('beside a network that does not answer,', () => {
	let partner: Credentials;
	let receiver: WebhookReceiver;

	beforeAll(async () => {
		receiver = await startWebhookReceiver();
		partner = await createPartner(service.current(), { webhookUrl: receiver.url, afftaxBps: 100 });
	});
	afterAll(() => receiver.close());

	async function swapped(): Promise<CreatedOrder> {
		const { data: order } = await create(service.current(), partner);
		await json('sandbox', 'deposit', order.id);
		await untilStatus(service.current(), partner, order, 'DONE');
		return order;
	}

	describe('webhook', () => {
		it('redeliver sends an event again, also a delivered one, with the same id and body', async () => {
			const order = await swapped();
			const events = await eventually('three delivered webhooks', async () => {
				const list = await json<Record<string, unknown>[]>('webhook', 'list', '--order', order.id);
				return list.length === 3 && list.every(({ state }) => state === 'delivered') && list;
			});
			expect(events.map(({ sequence }) => sequence)).toEqual([3, 2, 1]);
			expect(events[0]).toMatchObject({ lastStatus: 200, attempts: 1, partnerId: partner.id, orderId: order.id });
			const id = String(events[0]?.['id']);
			const isOurs = ({ headers }: { headers: Record<string, unknown> }) => headers['x-partner-webhook-id'] === id;
			const first = await receiver.waitFor(isOurs);
			await json('webhook', 'redeliver', id);
			const second = await receiver.waitFor((one) => isOurs(one) && one !== first);
			expect(second.rawBody.equals(first.rawBody)).toBe(true);
			expect(verify(second, partner.webhookSecret)).toBe(true);
			expect(await refusal('webhook', 'redeliver', 'nothing')).toBe('there is no webhook nothing');
		});

		it('list --failed shows events with a failed attempt until they are delivered', async () => {
			receiver.answer(500);
			const other = await createPartner(service.current(), { webhookUrl: receiver.url });
			const { data: order } = await create(service.current(), other);
			await json('sandbox', 'deposit', order.id, '--confirmations', '0');
			const failed = () => json<Record<string, unknown>[]>('webhook', 'list', '--failed', '--partner', other.id);
			const [event] = await eventually('a failed webhook', async () => {
				const list = await failed();
				return list.length > 0 && list;
			});
			expect(event).toMatchObject({ orderId: order.id, state: 'due', lastStatus: 500 });
			expect(await json('webhook', 'list', '--failed', '--partner', partner.id)).toEqual([]);
			receiver.answer(200);
			await json('webhook', 'redeliver', String(event?.['id']));
			await eventually('the webhook to be delivered', async () => (await failed()).length === 0);
			await json('order', 'delete', order.id);
			expect(await refusal('webhook', 'redeliver', String(event?.['id']))).toContain('is deleted');
		});
	});

	describe('earnings', () => {
		it('show adds up what is owed in each asset, exactly, with its current value', async () => {
			const other = await createPartner(service.current(), { afftaxBps: 200 });
			const orders = [];
			for (const body of [{}, { amount: '3' }]) orders.push((await create(service.current(), other, body)).data);
			await json('sandbox', 'deposit', ...orders.map(({ id }) => id));
			for (const order of orders) await untilStatus(service.current(), other, order, 'DONE');
			// 2 % of 5 LTC at 95 USD, in ETH at 3200 USD: 475 / 3200 × 0.02.
			expect(await json('earnings', 'show', other.id)).toMatchObject({
				partnerId: other.id,
				earnedUsd: '9.50',
				owedUsd: '9.50',
				owed: [{ asset: 'ETH', amount: '0.00296875', baseUnits: '2968750000000000', usd: '9.50' }],
			});
			expect(await refusal('earnings', 'show', 'nobody')).toBe('there is no partner nobody');
		});
	});

	describe('ledger check', () => {
		interface Check {
			readonly differences: number;
			readonly unchecked: number;
			readonly unbalanced: readonly Record<string, unknown>[];
			readonly kept: readonly { readonly where: string; readonly what: string }[];
			readonly pieces: number;
			readonly proven: number;
			readonly wallets: readonly { readonly asset: string; readonly result: string; readonly difference: string }[];
			readonly orders: number;
		}

		/** The answer of a check that finds no difference and cannot reach Dash. */
		async function checked(): Promise<Check> {
			const { status, stdout, stderr } = await run('ledger', 'check', '--json');
			expect([status, stderr]).toEqual([3, 'not every wallet could be compared; the answer says which not\n']);
			return JSON.parse(stdout) as Check;
		}

		it('agrees with the wallets after swaps, also with deposits that are not booked', async () => {
			const { data: order } = await create(service.current(), partner);
			await json('sandbox', 'deposit', order.id, '--confirmations', '0');
			await untilStatus(service.current(), partner, order, 'PENDING');
			const check = await checked();
			expect(check).toMatchObject({ differences: 0, unbalanced: [] });
			expect(check.orders).toBeGreaterThan(2);
			const others = check.wallets.filter(({ asset }) => asset !== 'DASH');
			expect(new Set(others.map(({ result }) => result))).toEqual(new Set(['ok']));
		});

		it('shows an asset that it cannot compare as unchecked with the reason, never as ok, and exits 3', async () => {
			const { unchecked, wallets } = await checked();
			expect(unchecked).toBe(1);
			expect(wallets.filter(({ result }) => result === 'unchecked')).toMatchObject([
				{ asset: 'DASH', held: null, reason: 'the network does not say it now (log: holdings_not_read)' },
			]);
		});

		it('exits 1 and names order and balance when one entry is tampered with', async () => {
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
			await sql('DROP TRIGGER ledger_entries_unchanged');
			await set((BigInt(entry?.amount ?? '0') + 1n).toString());
			const { status, stdout, stderr } = await run('ledger', 'check', '--json');
			expect([status, stderr]).toEqual([1, 'the books differ; the answer says where\n']);
			const check = JSON.parse(stdout) as Check;
			expect(check.differences).toBe(2);
			expect(check.unbalanced).toEqual([{ order: entry?.order_id, asset: 'LTC', sum: '0.00000001' }]);
			expect(check.kept).toMatchObject([{ where: 'piece 1', what: 'wallet', asset: 'LTC' }]);
			await set(entry?.amount);
			expect((await run('ledger', 'check')).status).toBe(3);
		});

		it('exits 1 and names the wallet when what is kept of it is tampered with, and --full proves every piece', async () => {
			const { sql } = service.current();
			const add = (amount: number) =>
				sql("UPDATE ledger_balances SET limb_0 = limb_0 + ? WHERE account = 'wallet' AND asset = 'LTC'", amount);
			await add(1);
			const { status, stdout } = await run('ledger', 'check', '--full', '--json');
			const check = JSON.parse(stdout) as Check;
			expect([status, check.differences, check.proven]).toEqual([1, 3, check.pieces]);
			expect(check.kept.map(({ where, what }) => [where, what])).toEqual([
				['piece 1', 'wallet'],
				['totals', 'all accounts'],
			]);
			expect(check.wallets.filter(({ result }) => result === 'differs')).toMatchObject([
				{ asset: 'LTC', difference: '-0.00000001' },
			]);
			await add(-1);
			expect((await run('ledger', 'check', '--from', '1')).status).toBe(3);
		});
	});
});
