/** The operator's commands for webhooks, earnings and the ledger check, each run as a process. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';
import { startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** Dash is on nodes that do not answer; all other networks are on the sandbox. */
const service = serviceForFile({ NODE_URL_DASH: 'http://user:password@127.0.0.1:1/wallet/exchange' });
const { run, json, refusal } = operatorOf(service.current);
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
			{ asset: 'DASH', held: null, reason: 'the network does not answer now' },
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
