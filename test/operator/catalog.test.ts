/** The operator's commands for pairs, assets and networks, and their effect on partners' calls. */
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorOf } from '../support/operator.ts';
import { create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, call, createPartner, signed } from '../support/partner.ts';
import { serviceForFile } from '../support/service.ts';

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
			beyondReserve: false,
			recv: true,
			send: true,
			balance: expect.stringMatching(/^(100000000|99999999\.\d+)$/),
			priceUsd: '3200',
			networkFee: '0.00005',
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

	it('attention names one that is not scanned and has no addresses, with its last error', async () => {
		const rows = JSON.parse((await run('attention', '--json')).stdout) as Record<string, string>[];
		const ofDash = rows.filter(({ subject }) => subject === 'Dash');
		expect(ofDash.map(({ area }) => area)).toEqual(['network', 'addresses']);
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
