/**
 * Nobody ever decides: no partner chooses, and no operator presses a button. After the time that the operator set each
 * deposit goes back to the refund address by itself (book: contract, "Orders").
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { payoutsTo } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const HOUR = 3_600_000;
/** What a payment costs on the sandbox's Litecoin. */
const LTC_FEE = '0.0001';

const file = serviceForFile();
const { json, refusal } = operatorOf(file.current);
let partner: Credentials;
let receiver: WebhookReceiver;

beforeAll(async () => {
	receiver = await startWebhookReceiver();
	partner = await createPartner(file.current(), { weightPerMinute: 1_000_000, webhookUrl: receiver.url });
	return () => receiver.close();
});

const operator = <T = Record<string, unknown>>(command: string, input: unknown) =>
	file.current().operator<T>(command, input);
const until = (order: CreatedOrder, status: string) => untilStatus(file.current(), partner, order, status);
const read = (order: CreatedOrder) => readOrder(file.current(), partner, order);
const deposit = ({ id }: CreatedOrder, amount?: string) =>
	operator('sandbox/deposit', { orders: [id], ...(amount && { amount }) });
const newOrder = async (): Promise<CreatedOrder> => (await create(file.current(), partner)).data;
const refunds = async () => (await payoutsTo(file.current(), 'Litecoin', LTC_REFUND)).length;
const unclaimed = ({ id }: CreatedOrder) =>
	file.current().sql("SELECT 1 FROM deposits WHERE order_id = ? AND state = 'final' AND payout_id IS NULL", id);

async function emergencyOf(amount: string): Promise<CreatedOrder> {
	const order = await newOrder();
	await deposit(order, amount);
	await until(order, 'EMERGENCY');
	return order;
}

/** As if the order's deposits and its last step were so much older. */
async function older({ id }: CreatedOrder, hours: number): Promise<void> {
	const { sql } = file.current();
	await sql('UPDATE deposits SET last_seen_at = last_seen_at - ? WHERE order_id = ?', hours * HOUR, id);
	await sql('UPDATE order_changes SET at = at - ? WHERE order_id = ?', hours * HOUR, id);
	await sql('UPDATE orders SET chosen_at = chosen_at - ? WHERE id = ?', hours * HOUR, id);
}

const afterSomePolls = () => new Promise((over) => setTimeout(over, 3_000));

async function expectBooks(): Promise<void> {
	await eventually('the books to agree with the wallets', async () => {
		const checked = await operator<{ differences: number; moving: number; unbalanced: unknown[] }>('ledger/check', {});
		return checked.differences + checked.moving + checked.unbalanced.length === 0;
	});
}

describe('a deposit about which nobody decides', () => {
	it('to an EMERGENCY order goes back after 72 hours, and not before, with a webhook that names the refund', async () => {
		const order = await emergencyOf('0.1');
		await older(order, 71.9);
		await afterSomePolls();
		expect((await read(order)).status).toBe('EMERGENCY');
		await older(order, 0.1);
		const view = await until(order, 'EXPIRED');
		expect(view.back.tx.id).toEqual(expect.any(String));
		await eventually('the webhook', async () =>
			receiver.received.some(({ json: event }) => JSON.stringify(event).includes(String(view.back.tx.id))),
		);
	});

	it('to an order whose chosen EXCHANGE cannot begin goes back 72 hours after the choice', async () => {
		const order = await emergencyOf('0.00012');
		const choice = { id: order.id, token: order.token, choice: 'EXCHANGE' };
		expect((await signed(file.current(), partner, '/api/v1/emergency', choice)).code).toBe(0);
		const { sql } = file.current();
		await sql('UPDATE deposits SET last_seen_at = 1 WHERE order_id = ?', order.id);
		await sql('UPDATE order_changes SET at = 1 WHERE order_id = ?', order.id);
		await afterSomePolls();
		expect((await read(order)).status).toBe('EMERGENCY');
		await older(order, 72);
		expect((await until(order, 'EXPIRED')).back.tx.id).toEqual(expect.any(String));
	});

	it('that came after the payout, to a deleted order or before the order was finalised goes back too', async () => {
		const before = await refunds();
		const done = await newOrder();
		await deposit(done);
		await until(done, 'DONE');
		await deposit(done, '1');
		await eventually('it to be final', async () => (await unclaimed(done)).length === 1);
		const deleted = await emergencyOf('0.2');
		await operator('order/delete', { id: deleted.id });
		const finalised = await emergencyOf('0.3');
		await operator('order/finalise', { id: finalised.id, reason: 'a test' });
		for (const order of [done, deleted, finalised]) await older(order, 72);
		await eventually('all to be sent back', async () => (await refunds()) === before + 3);
		expect((await read(done)).status).toBe('DONE');
		expect((await read(finalised)).back.tx.id).toEqual(expect.any(String));
		await expectBooks();
	});

	it('of which the payout was given up goes back 72 hours after that', async () => {
		const order = await newOrder();
		await operator('asset/update', { code: 'ETH', active: false });
		await deposit(order);
		await until(order, 'EXCHANGE');
		await older(order, 100);
		const { payouts } = await operator<{ payouts: { id: string }[] }>('order/show', { id: order.id });
		await operator('payout/give-up', { id: payouts[0]?.id, reason: 'a test' });
		await operator('asset/update', { code: 'ETH', active: true });
		await afterSomePolls();
		expect((await read(order)).status).toBe('EXCHANGE');
		await older(order, 72);
		expect((await until(order, 'EXPIRED')).back.tx.id).toEqual(expect.any(String));
		await expectBooks();
	});

	it('waits for the kill switch of its network alone, and goes back once that is on', async () => {
		await operator('network/update', { name: 'Litecoin', send: false });
		const order = await emergencyOf('0.1');
		await older(order, 72);
		await eventually('its refund to be planned', async () => (await unclaimed(order)).length === 0);
		expect((await read(order)).status).toBe('EMERGENCY');
		await operator('network/update', { name: 'Litecoin', send: true });
		expect((await until(order, 'EXPIRED')).back.tx.id).toEqual(expect.any(String));
	});

	it('that is too small to go back is booked as unreturned, and the order ends', async () => {
		const before = await refunds();
		const order = await emergencyOf(LTC_FEE);
		await older(order, 72);
		const view = await until(order, 'EXPIRED');
		expect(view.back.tx.id).toBeNull();
		const { ledger, history } = await operator<{
			ledger: { account: string; asset: string; amount: string }[];
			history: { cause: string }[];
		}>('order/show', { id: order.id });
		expect(ledger.map(({ account, asset, amount }) => [account, asset, amount])).toEqual(
			expect.arrayContaining([
				['wallet', 'LTC', LTC_FEE],
				['unreturned', 'LTC', `-${LTC_FEE}`],
			]),
		);
		expect(history.at(-1)?.cause).toBe('too small to be sent back');
		expect(await refunds()).toBe(before);
		await expectBooks();
	});
});

it('the operator sets the time, from an hour to 30 days, or never', async () => {
	expect(await json('site', 'show')).toMatchObject({ decisionHours: 72 });
	expect(await json('site', 'update', '--decision-hours', 'none')).toMatchObject({ decisionHours: null });
	const order = await emergencyOf('0.1');
	await older(order, 1000);
	await afterSomePolls();
	expect((await read(order)).status).toBe('EMERGENCY');
	for (const hours of ['0', '721'])
		expect((await refusal('site', 'update', '--decision-hours', hours)).length).toBeGreaterThan(0);
	expect(await json('site', 'update', '--decision-hours', '1')).toMatchObject({ decisionHours: 1 });
	await until(order, 'EXPIRED');
	await json('site', 'update', '--decision-hours', '72');
});
