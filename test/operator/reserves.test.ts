/** Reserves: who runs the service learns that a wallet will be empty before a customer does, and what to move where. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FINAL_CONFIRMATIONS } from '../../src/catalog/confirmations.ts';
import type { SandboxDeposit } from '../../src/chains/sandbox/ledger.ts';
import hedging from '../../src/docs/book/hedging.md';
import { type Decimal, decimal, divideDown, plain, usdText } from '../../src/money/decimal.ts';
import { fromBaseUnits } from '../../src/money/units.ts';
import { effectiveRate } from '../../src/pricing/quote.ts';
import { ADDRESS_ON } from '../support/addresses.ts';
import { payoutsTo } from '../support/earnings.ts';
import { feedItems } from '../support/feed.ts';
import { operatorOf } from '../support/operator.ts';
import { create, untilStatus } from '../support/orders.ts';
import { type Credentials, call, createPartner } from '../support/partner.ts';
import { eventually, serviceForFile, startTestService, type TestService } from '../support/service.ts';

const COLD_WALLET = 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh';

const file = serviceForFile(
	{
		WITHDRAW_TO_LITECOIN: COLD_WALLET,
		WITHDRAW_TO_BITCOIN:
			'kraken=bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu/100, cold=bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
		WITHDRAW_TO_TRON: 'TV2WNCetEM7AKm8u4VoM4hkXpPxWmTMtjQ',
		SIGNER_DAILY_WITHDRAW_CAP_USD: '90000000000',
		NODE_POLL_SECONDS_LITECOIN: '1',
		NODE_POLL_SECONDS_TRON: '1',
		NODE_POLL_SECONDS_DASH: '1',
	},
	{ pages: true },
);
const { run, json } = operatorOf(file.current);

interface Ledger {
	deposit(deposit: SandboxDeposit): Promise<void>;
}
interface Row {
	readonly area: string;
	readonly subject: string;
	readonly cause: string;
	readonly amount: string | null;
	readonly todo: string;
}
interface Planned {
	readonly asset: string;
	readonly free: string;
	readonly target: string;
	readonly hours: number | null;
	readonly short: string | null;
	readonly long: string | null;
	readonly fee: string | null;
	readonly todo: string;
}

const lowRow = async (subject: string) =>
	(await file.current().operator<Row[]>('attention')).find((row) => row.area === 'wallet' && row.subject === subject);
const plan = async () => {
	const { stdout } = await run('treasury', 'plan', '--json');
	return JSON.parse(stdout) as Planned[];
};
const planOf = async (asset: string) => (await plan()).find((row) => row.asset === asset);

let partner: Credentials;
beforeAll(async () => {
	partner = await createPartner(file.current(), { weightPerMinute: 1_000_000 });
});

/** Leaves exactly so many coins free. */
async function leave(asset: string, coins: number): Promise<void> {
	const { assets } = await json<{ assets: { asset: string; free: string }[] }>('treasury', 'show');
	const free = Number(assets.find((row) => row.asset === asset)?.free);
	const { id } = await file
		.current()
		.operator<{ id: string }>('treasury/withdraw', { asset, amount: String(Math.floor(free - coins)) });
	await eventually('the withdrawal to be final', async () => {
		const { withdrawals } = await json<{ withdrawals: { id: string; state: string }[] }>('treasury', 'show');
		return withdrawals.find((row) => row.id === id)?.state === 'final';
	});
}

/** An order that pays some 4.7 LTC. */
async function payOut(): Promise<void> {
	const { data: order, text } = await create(file.current(), partner, {
		fromCcy: 'ETH',
		toCcy: 'LTC',
		amount: '0.14',
		toAddress: COLD_WALLET,
		refundAddress: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
	});
	expect(order?.id, text).toBeTruthy();
	await file.current().operator('sandbox/deposit', { orders: [order.id] });
	await untilStatus(file.current(), partner, order, 'DONE');
}

describe('another instance of the service', () => {
	/** What the book has an operator type, block after block. */
	const [withdrawing, noting] = [
		...(/^## Another instance$[\s\S]*/m.exec(hedging)?.[0] ?? '').matchAll(/^```sh\n([\s\S]*?)^```/gm),
	].map(([, block = '']) => block.trim().split('\n'));
	const typed = async (lines: readonly string[] = []) => {
		expect(lines.length).toBeGreaterThan(0);
		// 1: a wallet is short. 2 would be a command that is not understood.
		for (const line of lines)
			expect([0, 1]).toContain((await run(...line.replace('npx exchange ', '').split(' '))).status);
	};
	let other: TestService;

	// A seed of its own: from the template it would have this service's addresses.
	beforeAll(async () => {
		other = await startTestService({ ADDRESS_POOL: '10' }, mkdtempSync(join(tmpdir(), 'instance-')));
	});
	afterAll(async () => {
		await other?.local.stop();
		if (other) rmSync(other.stateDirectory, { recursive: true, force: true });
	});

	it('sells what is short for what is long, by way of the cold wallet, and the books of both are even', async () => {
		const hotWallet = await file.current().hotAddress('Dash');
		const { free = '' } =
			(await eventually('a plan', async () => {
				await json('asset', 'update', 'DASH', '--target', '1');
				return planOf('DASH');
			})) ?? {};
		await json('asset', 'update', 'DASH', '--target', plain(decimal(free).plus('10')));
		expect(await planOf('DASH')).toMatchObject({ short: '10', todo: expect.stringContaining(hotWallet) });
		await typed(withdrawing);
		const [withdrawn] = await eventually('the withdrawal to come to the cold wallet', async () => {
			const found = await payoutsTo(file.current(), 'Litecoin', COLD_WALLET);
			return found.length > 0 && found;
		});

		const credentials = await createPartner(other, { name: 'Somebody who refills' });
		const order = await eventually('the order to be taken', async () => {
			const terms = { fromCcy: 'LTC', toCcy: 'DASH', direction: 'to', amount: '10' };
			return (await create(other, credentials, { ...terms, toAddress: hotWallet, refundAddress: COLD_WALLET })).data;
		});
		expect(decimal(order.from.amount).lte(fromBaseUnits(BigInt(withdrawn?.amount ?? 0), 8))).toBe(true);
		await other.operator('sandbox/deposit', { orders: [order.id] });
		await untilStatus(other, credentials, order, 'DONE');
		const [paid] = await payoutsTo(other, 'Dash', hotWallet);

		// Each sandbox has ledgers of its own: what the one paid is carried to the other's. Its wallet pays from its first coins
		// alone, so `free` stays.
		const { txId, amount } = paid ?? { txId: '', amount: '0' };
		const arrived = { txId, address: hotWallet, asset: 'DASH' as const, amount, confirmations: FINAL_CONFIRMATIONS };
		await file.current().object<Ledger>('SANDBOX_LEDGER', 'Dash').deposit(arrived);
		const booked = 'SELECT asset, amount FROM reserve_entries WHERE tx_id = ?';
		const entries = await eventually('what came to be reserve', async () => {
			const found = await file.current().sql(booked, txId);
			return found.length > 0 && found;
		});
		expect(entries).toEqual([{ asset: 'DASH', amount }]);
		await typed(noting?.map((line) => line.replace('TXID', txId)));
		const { moved } = await json<{ moved: object[] }>('treasury', 'show');
		const came = fromBaseUnits(BigInt(amount), 8);
		expect(moved).toContainEqual({ name: 'cold', coin: 'LTC', sent: '5', cameBack: '0' });
		expect(moved).toContainEqual({ name: 'cold', coin: 'DASH', sent: '0', cameBack: came });
		for (const service of [file.current(), other])
			expect(await service.operator('ledger/check', { full: true })).toMatchObject({ differences: 0, unbalanced: [] });
		expect((await json<{ orders: number }>('report')).orders).toBe(0);
		await json('asset', 'update', 'DASH', '--target', 'none');
	});
});

describe('a hot wallet that will be empty', () => {
	it('is told with the hours that it lasts, until what the plan names has come', async () => {
		await payOut();
		const before = await eventually('the payout to be counted', () => planOf('LTC'));
		expect(before).toMatchObject({ short: null, todo: expect.stringContaining('treasury withdraw LTC --amount ') });
		expect(await lowRow('LTC')).toBeUndefined();
		await leave('LTC', 2);
		const row = await eventually('the row', () => lowRow('LTC'));
		expect(row.cause).toMatch(/^2\.\d+ LTC are free, which lasts 1\d hours: the last 24 hours paid 4\.\d+ LTC$/);
		expect(row.todo).toMatch(/^`treasury plan` says how many coins to send to ltc1/);
		const short = await planOf('LTC');
		expect(row.amount).toBe(`${short?.short} LTC`);
		expect(short?.todo).toMatch(new RegExp(`^send ${short?.short} LTC to ltc1`));
		expect(Number(short?.target)).toBeCloseTo(Number(short?.free) + Number(short?.short), 8);
		const { status, stderr } = await run('treasury', 'plan');
		expect([status, stderr]).toEqual([1, 'a hot wallet has less free than its target\n']);
		// The least hours are the operator's.
		await json('site', 'update', '--reserve-hours', '1');
		expect(await lowRow('LTC')).toBeUndefined();
		await json('site', 'update', '--reserve-hours', '24');
		expect(await lowRow('LTC')).toBeDefined();
	});

	it('has the target that the operator names, above and below what is free', async () => {
		expect(await json('asset', 'update', 'BTC', '--target', '100000001')).toMatchObject({ target: '100000001' });
		expect(await planOf('BTC')).toMatchObject({ free: '100000000', short: '1', long: null, hours: null });
		await json('asset', 'update', 'BTC', '--target', '99999990');
		expect(await planOf('BTC')).toMatchObject({ short: null, long: '10', fee: expect.stringMatching(/ BTC$/) });
		// What an address takes in a day is looked at.
		expect(await planOf('BTC')).toMatchObject({
			to: 'cold',
			todo: '`treasury withdraw BTC --amount 10 --to cold` takes out what is beyond the target',
		});
		await json('asset', 'update', 'DASH', '--target', '99999990');
		expect(await planOf('DASH')).toMatchObject({ to: null, todo: expect.stringContaining('WITHDRAW_TO_DASH') });
		expect((await run('asset', 'update', 'BTC', '--target', '1.123456789')).stderr).toContain('at most 8 decimals');
		await json('asset', 'update', 'BTC', '--target', 'none');
		expect(await planOf('BTC')).toBeUndefined();
	});
});

describe('an asset that is sold out', () => {
	it('is said to the operator and on the status page, and again taken once it is filled', async () => {
		await leave('USDTTRC20', 0);
		const row = await eventually('the row', () => lowRow('sold out'));
		expect(row.cause).toBe('the hot wallets have nothing free of USDTTRC20: orders that pay them are refused');
		const terms = { toCcy: 'USDTTRC20', toAddress: 'TV2WNCetEM7AKm8u4VoM4hkXpPxWmTMtjQ' };
		await eventually('orders to be refused', async () => (await create(file.current(), partner, terms)).code !== 0);
		const status = (await (await fetch(`${file.current().url}/status.json`)).json()) as { soldOut: string[] };
		expect(status.soldOut).toEqual(['USDTTRC20']);
		expect(await (await fetch(`${file.current().url}/status`)).text()).toContain('Sold out for now: USDTTRC20.');
		await json('asset', 'update', 'USDTTRC20', '--active', 'off');
		expect(await lowRow('sold out')).toBeUndefined();
		await json('asset', 'update', 'USDTTRC20', '--active', 'on');
	});
});

describe('a price that leans', () => {
	const quote = (fromCcy: string, toCcy: string) =>
		call<{ from: { rate: string }; to: { amount: string } }>(file.current(), '/api/v1/price', {
			...{ type: 'float', direction: 'from', amount: '20' },
			...{ fromCcy, toCcy },
		});
	const rateOf = async (from: string, to: string) => (await quote(from, to)).data.from.rate;
	const feedRate = async (from: string, to: string) => {
		const items = feedItems(await (await fetch(`${file.current().url}/api/rates.xml`)).text());
		return items.find((item) => item.from === from && item.to === to)?.out;
	};

	it('is the same in price, in the feed and on create, and an order keeps the base fee that it was made with', async () => {
		const prices = await json<{ coin: string; usd: string }[]>('price', 'list');
		const usd = (coin: string) => decimal(prices.find((row) => row.coin === coin)?.usd ?? '');
		const at = (from: string, to: string, bps: number) => plain(effectiveRate(usd(from), usd(to), bps));
		const before = (await quote('DASH', 'ETH')).text;
		expect((await run('asset', 'update', 'BTC', '--surcharge-bps', '10')).stderr).toContain('name one with --target');
		// Half of the target is missing: half of 101 and of 41, each towards zero.
		const set = await json(
			'asset',
			'update',
			'BTC',
			'--target',
			'200000000',
			'--surcharge-bps',
			'101',
			'--discount-bps',
			'41',
		);
		expect(set).toMatchObject({ surchargeBps: 101, discountBps: 41, leanOutBps: 50, leanInBps: -20 });
		expect(await planOf('BTC')).toMatchObject({ leanOutBps: 50, leanInBps: -20 });
		expect([await rateOf('DASH', 'BTC'), await rateOf('BTC', 'DASH')]).toEqual([
			at('DASH', 'BTC', 100),
			at('BTC', 'DASH', 30),
		]);
		expect((await quote('DASH', 'ETH')).text).toBe(before);
		await eventually('the feed to lean', async () => (await feedRate('BTC', 'DASH')) === at('BTC', 'DASH', 30));

		const robin = await createPartner(file.current());
		const body = {
			fromCcy: 'DASH',
			toCcy: 'BTC',
			amount: '20',
			toAddress: ADDRESS_ON.Bitcoin,
			refundAddress: ADDRESS_ON.Dash,
		};
		const { data: order, text } = await create(file.current(), robin, body);
		expect(order.rate, text).toBe(at('DASH', 'BTC', 100));
		const back = { fromCcy: 'BTC', toCcy: 'DASH', amount: '0.01', toAddress: ADDRESS_ON.Dash };
		const { data: discounted } = await create(file.current(), robin, { ...back, refundAddress: ADDRESS_ON.Bitcoin });
		await json('asset', 'update', 'BTC', '--surcharge-bps', '0', '--discount-bps', '0', '--target', 'none');
		expect(await rateOf('DASH', 'BTC')).toBe(at('DASH', 'BTC', 50));
		await file.current().operator('sandbox/deposit', { orders: [order.id, discounted.id] });
		expect((await untilStatus(file.current(), robin, order, 'DONE')).rate).toBe(at('DASH', 'BTC', 100));
		await untilStatus(file.current(), robin, discounted, 'DONE');
		type Rows = Record<string, unknown>[];
		const report = await json<{ lines: Rows; leans: Rows; leanUsd: string }>('report', '--by', 'pair');
		const ofPair = (pair: string) => report.lines.find((line) => line['pair'] === pair);
		expect(ofPair('DASH>BTC')).toMatchObject({ volumeUsd: '900.00', houseUsd: '9.00', leanUsd: '4.50' });
		const cost = usdText(usd('BTC').times('0.01').times('0.002'));
		expect(ofPair('BTC>DASH')).toMatchObject({ marginUsd: '0.00', leanUsd: `-${cost}` });
		expect(decimal(report.leanUsd).eq(decimal('4.50').minus(decimal(cost)))).toBe(true);
		const share = (value: Decimal, code: string, bps: string) =>
			plain(divideDown(divideDown(value, usd(code), 8).times(bps), decimal('10000'), 8));
		expect(report.leans).toEqual([
			{ asset: 'BTC', surcharge: share(decimal('900'), 'BTC', '50'), discount: '0' },
			{ asset: 'DASH', surcharge: '0', discount: share(usd('BTC').times('0.01'), 'DASH', '20') },
		]);
		const { id } = discounted;
		expect(await file.current().operator('order/show', { id })).toMatchObject({
			internal: { leanBps: -20, baseFeeBps: 30 },
		});
	});
});
