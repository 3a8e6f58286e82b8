/** Reserves: who runs the service learns that a wallet will be empty before a customer does, and what to move where. */
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorOf } from '../support/operator.ts';
import { create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const COLD_WALLET = 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh';

const file = serviceForFile(
	{
		WITHDRAW_TO_LITECOIN: COLD_WALLET,
		WITHDRAW_TO_TRON: 'TV2WNCetEM7AKm8u4VoM4hkXpPxWmTMtjQ',
		SIGNER_DAILY_WITHDRAW_CAP_USD: '90000000000',
		NODE_POLL_SECONDS_LITECOIN: '1',
		NODE_POLL_SECONDS_TRON: '1',
	},
	{ pages: true },
);
const { run, json } = operatorOf(file.current);

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
		expect((await planOf('BTC'))?.todo).toContain('WITHDRAW_TO_BITCOIN');
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
