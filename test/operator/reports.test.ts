/**
 * What a business needs of the books: reports, exports, and partners that are paid by themselves (book: years,
 * "Reports and exports", and book: run, "Automatic payouts").
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changedAgo, earn as earnOn, paidTo, payoutsTo } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, ETH_RECIPIENT, LTC_REFUND } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';
import { startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';

const service = serviceForFile();
const { run, json } = operatorOf(service.current);
const FORMULA = '=HYPERLINK("http://127.0.0.1","a, \'b\'")';
const TO_LTC = { fromCcy: 'ETH', toCcy: 'LTC', amount: '1', toAddress: LTC_REFUND, refundAddress: ETH_RECIPIENT };
let receiver: WebhookReceiver;
let partner: Credentials;
let placed: CreatedOrder[];

const operator = <T = Record<string, unknown>>(command: string, input?: Record<string, unknown>) =>
	service.current().operator<T>(command, input);
const sql = <T = Record<string, unknown>>(statement: string, ...values: unknown[]) =>
	service.current().sql<T>(statement, ...values);

interface Sums {
	readonly orders: number;
	readonly volumeUsd: string;
	readonly marginUsd: string;
	readonly houseUsd: string;
	readonly networkFeeUsd: string;
}
type Report = Sums & {
	readonly lines: readonly (Sums & Record<string, unknown>)[];
	readonly exposure: readonly { readonly asset: string; readonly amount: string; readonly usd: string }[];
	readonly networkFees: readonly Record<string, string>[];
};

beforeAll(async () => {
	receiver = await startWebhookReceiver();
	partner = await createPartner(service.current(), { name: FORMULA, webhookUrl: receiver.url, afftaxBps: 200 });
	placed = await earnOn(service.current(), partner, {}, TO_LTC);
});
afterAll(() => receiver.close());

describe('report', () => {
	it('adds up orders, volume, margin, house earnings and network fees by day, asset, partner, code and pair', async () => {
		const day = new Date().toISOString().slice(0, 10);
		const report = await json<Report>('report', '--by', 'pair');
		// 2 LTC at 95 USD and 1 ETH at 3200 USD; 2 % of that is the partner's.
		expect(report).toMatchObject({ orders: 2, volumeUsd: '3390.00', marginUsd: '67.80' });
		expect(report.lines).toMatchObject([
			{ pair: 'ETH>LTC', orders: 1, volumeUsd: '3200.00', marginUsd: '64.00' },
			{ pair: 'LTC>ETH', orders: 1, volumeUsd: '190.00', marginUsd: '3.80' },
		]);
		const sums = ({ orders, volumeUsd, marginUsd, houseUsd, networkFeeUsd }: Sums) => ({
			orders,
			volumeUsd,
			marginUsd,
			houseUsd,
			networkFeeUsd,
		});
		for (const [by, label] of [
			['day', { day }],
			['partner', { partner: partner.id, partnerName: FORMULA }],
			['code', { partner: partner.id, code: '' }],
		] as const) {
			const same = await operatorReport({ by });
			expect(same.lines).toHaveLength(1);
			expect(same.lines[0]).toMatchObject({ ...label, ...sums(report) });
		}
		expect((await operatorReport({ by: 'asset' })).lines).toMatchObject([{ asset: 'ETH' }, { asset: 'LTC' }]);
		expect(await operatorReport({ until: day })).toMatchObject({ orders: 0, lines: [] });
	});

	it('shows what the swaps have made of the house’s coins, as the books have it', async () => {
		const { exposure } = await operatorReport({});
		const { balances } = await operator<{ balances: { account: string; asset: string; amount: string }[] }>(
			'ledger/check',
		);
		const market = balances.filter(({ account }) => account === 'market');
		expect(exposure.map(({ asset, amount }) => [asset, amount])).toEqual(
			market.map(({ asset, amount }) => [asset, amount.startsWith('-') ? amount.slice(1) : `-${amount}`]),
		);
		expect(exposure.map(({ usd }) => usd)).toEqual(exposure.map(() => expect.stringMatching(/^-?\d+\.\d\d$/)));
	});

	it('counts archived orders, which leave their totals behind', async () => {
		await sql(
			`INSERT INTO archived_totals VALUES ('2024-02-29', ?, 'summer', 'LTC', 'ETH', 3, 2, 12345, 246, 61, 10, -7,
				'1', '1', '1', '1', '2', '4', '5', '0', '0', '3', '0')`,
			partner.id,
		);
		const report = await operatorReport({ by: 'code' });
		expect(report).toMatchObject({ orders: 4, volumeUsd: '3513.45', marginUsd: '70.26' });
		expect(report.lines).toMatchObject([
			{ code: '' },
			{ code: 'summer', orders: 2, houseUsd: '0.61', leanUsd: '-0.07' },
		]);
		const march = await operatorReport({ since: '2024-02-29T10:00Z', until: '2024-03-01' });
		expect(march).toMatchObject({ orders: 2, networkFees: [{ asset: 'ETH', keptBack: '0.000000000000000005' }] });
		await sql('DELETE FROM archived_totals');
	});

	const operatorReport = (input: Record<string, string>) =>
		json<Report>('report', ...Object.entries(input).flatMap(([name, value]) => [`--${name}`, value]));
});

describe('export', () => {
	it('orders: both transactions, exact amounts and worth at settlement, as CSV that no spreadsheet runs', async () => {
		const { stdout, status } = await run('export', 'orders', '--format', 'csv');
		expect(status).toBe(0);
		const [header = '', ...lines] = stdout.trimEnd().split('\r\n');
		expect(lines).toHaveLength(placed.length);
		expect(lines[0]).toContain('"\'=HYPERLINK(""http://127.0.0.1"",""a, \'b\'"")"');
		const rows = await json<Record<string, string>[]>('export', 'orders', '--partner', partner.id);
		expect(header).toBe(Object.keys(rows[0] ?? {}).join(','));
		const [order] = placed;
		const shown = await operator<{ order: { from: { tx: unknown }; to: { tx: { id: string } } } }>('order/show', {
			id: order?.id,
		});
		expect(rows[0]).toMatchObject({
			id: order?.id,
			partnerName: FORMULA,
			status: 'DONE',
			received: '2',
			volumeUsd: '190.00',
			partnerShare: '0.0011875',
			partnerUsd: '3.80',
			payoutTxId: shown.order.to.tx.id,
			depositTxId: (shown.order.from.tx as { id: string }).id,
		});
	});

	it('ledger and statements: every entry once, page after page, and a partner’s amounts add up to what is owed', async () => {
		const entries = await json<Record<string, string>[]>('export', 'ledger');
		const [count] = await sql<{ rows: number }>('SELECT count(*) AS rows FROM ledger_entries');
		expect(entries).toHaveLength(count?.rows ?? -1);
		expect(new Set(entries.map((entry) => JSON.stringify(entry))).size).toBe(entries.length);
		const statements = await json<Record<string, string>[]>('export', 'statements', '--partner', FORMULA);
		expect(statements.map(({ kind, asset, amount, usd }) => [kind, asset, amount, usd])).toEqual([
			['earned', 'ETH', '0.0011875', '3.80'],
			['earned', 'LTC', '0.67368421', '64.00'],
		]);
		expect(await json('export', 'ledger', '--until', '2020-01-01')).toEqual([]);
	});

	it('goes on where a page ended, and refuses a cursor that none ended with', async () => {
		const page = await operator<{ rows: unknown[]; cursor: string | null }>('export/orders');
		expect(page.cursor).toBeNull();
		const [first] = await sql<{ created_at: number; id: string }>('SELECT created_at, id FROM orders ORDER BY 1, 2');
		const cursor = JSON.stringify([first?.created_at, first?.id]);
		expect((await operator<{ rows: unknown[] }>('export/orders', { cursor })).rows).toEqual(page.rows.slice(1));
		const all = (await operator<{ rows: { orderId: string; cause: string }[] }>('export/ledger')).rows;
		const booking = await sql<{ at: number; order_id: string; cause: string }>(
			'SELECT at, order_id, cause FROM ledger_entries ORDER BY 1, 2, 3 LIMIT 1',
		).then(([row]) => row);
		const rest = all.filter(({ orderId, cause }) => orderId !== booking?.order_id || cause !== booking.cause);
		const afterBooking = JSON.stringify([booking?.at, booking?.order_id, booking?.cause]);
		expect((await operator<{ rows: unknown[] }>('export/ledger', { cursor: afterBooking })).rows).toEqual(rest);
		const [payout] = await sql<{ planned_at: number; id: string }>(
			'SELECT planned_at, id FROM transactions ORDER BY 1, 2',
		);
		const counted = { cursor: JSON.stringify([payout?.planned_at, payout?.id]) };
		expect((await operator<{ lines: { orders: number }[] }>('report', counted)).lines).toMatchObject([{ orders: 1 }]);
		for (const command of ['export/orders', 'export/ledger', 'report'])
			await expect(operator(command, { cursor: '["x"]' })).rejects.toThrow('cursor: is not one that');
	});
});

describe('automatic payouts', () => {
	const ADDRESS = 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9';
	const cron = () => service.current().local.runScheduled();
	const shown = () => operator<Record<string, unknown>>('partner/show', { id: partner.id });
	const isDue = () => sql('UPDATE partners SET auto_payout_at = 1 WHERE id = ?', partner.id);
	const payouts = async () =>
		(await operator<{ payouts: Record<string, unknown>[] }>('earnings/show', { partner: partner.id })).payouts;
	const paid = async () => (await payoutsTo(service.current(), 'Litecoin', ADDRESS)).length;

	it('need a payout address, are off at first, and begin with the next period', async () => {
		const update = (more: Record<string, unknown>) => operator('partner/update', { id: partner.id, ...more });
		await expect(update({ autoPayout: 'daily' })).rejects.toThrow('automatic payouts need a payout address');
		expect(await shown()).toMatchObject({ autoPayout: 'none', autoPayoutNextAt: null });
		await paidTo(service.current(), partner, ADDRESS);
		const day = 86_400_000;
		const tomorrow = new Date(Math.floor(Date.now() / day) * day + day).toISOString();
		const words = ['--auto-payout', 'daily', '--auto-payout-min-usd', '100000'];
		expect(await json('partner', 'update', partner.id, ...words)).toMatchObject({
			autoPayout: 'daily',
			autoPayoutMinUsd: 100_000,
			autoPayoutNextAt: tomorrow,
		});
		await cron();
		expect(await payouts()).toEqual([]);
	});

	it('wait below the threshold without a word, and for the 24 hours of a changed address with one', async () => {
		await isDue();
		await cron();
		expect(await payouts()).toEqual([]);
		expect(await shown()).toMatchObject({ autoPayoutWaits: null });
		await operator('partner/update', { id: partner.id, autoPayoutMinUsd: 10 });
		await changedAgo(service.current(), partner.id, 23);
		await isDue();
		await cron();
		expect(await payouts()).toEqual([]);
		expect(await shown()).toMatchObject({ autoPayoutWaits: expect.stringContaining('it can be used from 20') });
		const rows = await operator<{ area: string; cause: string }[]>('attention');
		expect(rows.find(({ area }) => area === 'partner')?.cause).toContain('is not planned: the payout address');
		await changedAgo(service.current(), partner.id, 24);
	});

	it('pay once a period and announce it, also when the service crashes between planning and noting it', async () => {
		// The trigger plays the crash: the plan is written, and what is noted afterwards is not.
		await sql(`CREATE TRIGGER crashes BEFORE UPDATE OF auto_payout_at ON partners WHEN NEW.auto_payout_at > 1
			BEGIN SELECT RAISE(ABORT, 'crashed'); END`);
		await isDue();
		await Promise.all([cron(), cron()]);
		const webhook = await receiver.waitFor(
			({ json: body }) => (body as { readonly type: string }).type === 'partner.paid_out',
		);
		expect(webhook.json).toMatchObject({ data: { address: ADDRESS, amount: '0.71368421', orderCount: 2 } });
		await earnOn(service.current(), partner, TO_LTC);
		await cron();
		await sql('DROP TRIGGER crashes');
		await cron();
		expect(await payouts()).toMatchObject([{ isAutomatic: true, payer: 'service', orderCount: 2 }]);
		expect(await paid()).toBe(1);
		expect(await shown()).toMatchObject({ autoPayoutWaits: null, autoPayoutNextAt: expect.stringContaining('T00:00') });
		expect(await operator('ledger/check')).toMatchObject({ differences: 0, unbalanced: [] });
	});

	it('pay the next period what was earned since, and nothing while they are off', async () => {
		await sql('UPDATE partner_payouts SET auto_period = auto_period - 86400000 WHERE partner_id = ?', partner.id);
		await operator('partner/update', { id: partner.id, autoPayout: 'none' });
		await isDue();
		await cron();
		expect(await payouts()).toHaveLength(1);
		await operator('partner/update', { id: partner.id, autoPayout: 'monthly' });
		await isDue();
		await cron();
		await eventually('the second payout to be sent', async () => (await paid()) === 2);
		expect(await payouts()).toMatchObject([{ orderCount: 1 }, { orderCount: 2 }]);
		const statements = await operator<{ rows: { kind: string; amount: string }[] }>('export/statements');
		expect(statements.rows.filter(({ kind }) => kind === 'paid out')).toHaveLength(3);
	});
});

describe('a hedger', () => {
	const cron = () => service.current().local.runScheduled();
	const traded = async () => {
		const other = await createPartner(service.current(), { name: `Trader ${Math.random()}` });
		const [order] = await earnOn(service.current(), other, TO_LTC);
		return order?.id;
	};
	/** In ETH and in LTC. */
	const exposure = async () => {
		const rows = (await json<Report>('report')).exposure;
		return ['ETH', 'LTC'].map((code) => rows.find(({ asset }) => asset === code)?.amount);
	};
	let hooks: WebhookReceiver;
	let hedger: { readonly id: string; readonly webhookSecret: string };

	beforeAll(async () => {
		hooks = await startWebhookReceiver();
	});
	afterAll(() => hooks.close());

	it('is a partner with a webhook URL who may not make orders, since they learn of the orders of all', async () => {
		hedger = await operator('partner/create', { name: 'Hedger' });
		const begin = () => run('hedge', 'begin', 'hedger');
		expect((await begin()).stderr).toContain('give one with partner update');
		await operator('partner/update', { id: hedger.id, webhookUrl: hooks.url });
		expect((await begin()).stderr).toContain('--enabled off first');
		await operator('partner/update', { id: hedger.id, enabled: false });
		expect(await json('hedge', 'begin', 'hedger')).toMatchObject({ hedger: hedger.id });
		const shown = await json<Record<string, unknown>>('hedge', 'show');
		expect([shown['newest'], shown['queuedUntil']]).toEqual([3, 3]);
		expect(shown['exposure']).toEqual((await json<Report>('report')).exposure);
	});

	it('is told of each settlement since by a signed webhook, with the exposure after it', async () => {
		const id = await traded();
		await cron();
		const told = await hooks.waitFor(() => true);
		expect(verify(told, hedger.webhookSecret)).toBe(true);
		const { type, data } = told.json as { type: string; data: Record<string, string> };
		expect([type, data]).toEqual([
			'order.settled',
			expect.objectContaining({
				sequence: 4,
				orderId: id,
				reversal: false,
				from: 'ETH',
				fromAmount: '1',
				usd: '3200.00',
			}),
		]);
		expect([data['fromExposure'], data['toExposure']]).toEqual(await exposure());
		expect(await json('hedge', 'list', '--after', '3')).toEqual([data]);
		const listed = () => json<object[]>('webhook', 'list', '--partner', 'hedger');
		const [webhook] = await eventually('the answer to be noted', async () => {
			const rows = await listed();
			return rows.some((row) => 'state' in row && row.state === 'delivered') && rows;
		});
		expect(webhook).toMatchObject({ sequence: 4, orderId: null });
	});

	it('reads what it missed while it was down for longer than webhooks are tried again', async () => {
		// The answer that ends all tries at once.
		hooks.answer(410);
		await traded();
		await traded();
		await cron();
		const missed = () => json<{ state: string }[]>('webhook', 'list', '--partner', 'hedger', '--failed');
		await eventually(
			'the tries to end',
			async () => (await missed()).filter(({ state }) => state === 'ended').length === 2,
		);
		const trades = await json<Record<string, unknown>[]>('hedge', 'list', '--after', '4');
		expect(trades.map(({ sequence }) => sequence)).toEqual([5, 6]);
		expect([trades[1]?.['fromExposure'], trades[1]?.['toExposure']]).toEqual(await exposure());
	});

	it('is told that trades are not kept any more, or that the books were set back, and begins again', async () => {
		expect((await run('hedge', 'list', '--after', '7')).stderr).toContain('the books were set back');
		await sql('DELETE FROM trades WHERE sequence < 4');
		expect((await run('hedge', 'list', '--after', '2')).stderr).toContain('trades 3 to 3 are not kept any more');
		expect(await json('hedge', 'list', '--after', '3')).toHaveLength(3);
		expect(await json('hedge', 'end')).toEqual({ ended: hedger.id });
		expect((await run('hedge', 'end')).stderr).toContain('nobody is told');
		expect(await json('ledger', 'check')).toMatchObject({ kept: [] });
		await sql("UPDATE exposures SET limb_0 = limb_0 + 1 WHERE asset = 'ETH'");
		const { kept } = JSON.parse((await run('ledger', 'check', '--json')).stdout);
		expect(kept).toMatchObject([{ what: 'exposure', asset: 'ETH' }]);
	});
});
