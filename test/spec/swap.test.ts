/** A swap on the sandbox, from create to DONE, as the partner and their webhook receiver see it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create, createBody, ETH_RECIPIENT, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';
import { startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';

const service = sharedService();
let receiver: WebhookReceiver;
let partner: Credentials;

beforeAll(async () => {
	receiver = await startWebhookReceiver();
	partner = await createPartner(service.current(), { webhookUrl: receiver.url, afftaxBps: 100 });
});
afterAll(() => receiver.close());

describe('a swap', () => {
	it('goes NEW, PENDING, EXCHANGE, DONE, with one signed webhook per change, in sequence', async () => {
		const created = await create(service.current(), partner);
		expect(created.data.status).toBe('NEW');
		await service.current().operator('sandbox/deposit', { orders: [created.data.id], confirmations: 0 });
		const pending = await untilStatus(service.current(), partner, created.data, 'PENDING');
		expect(pending.from.tx.id).toMatch(/^[0-9a-f]{64}$/);
		expect(pending.from.tx.amount).toBe('2');
		await service.current().operator('sandbox/confirm', { orders: [created.data.id] });
		const done = await untilStatus(service.current(), partner, created.data, 'DONE');
		expect(done.to.tx.amount).toBe(done.to.amount);
		expect(done.to.tx.id).toMatch(/^0x[0-9a-f]{64}$/);
		expect(done.to.address).toBe(ETH_RECIPIENT);
		expect(done.time.finish).toBeGreaterThan(0);

		await receiver.waitFor((_, index) => index === 2);
		const events = receiver.received.map(
			({ json }) => json as { data: { sequence: number; previousStatus: string; order: { status: string } } },
		);
		const bySequence = events.map(({ data }) => data).toSorted((a, b) => a.sequence - b.sequence);
		expect(bySequence.map(({ sequence, previousStatus, order }) => [sequence, previousStatus, order.status])).toEqual([
			[1, 'NEW', 'PENDING'],
			[2, 'PENDING', 'EXCHANGE'],
			[3, 'EXCHANGE', 'DONE'],
		]);
		for (const delivery of receiver.received) expect(verify(delivery, partner.webhookSecret)).toBe(true);
	});

	it('is announced in the body { id, type, createdAt, apiVersion, data }, with the current order and no token', async () => {
		const { data: order } = await create(service.current(), partner);
		await service.current().operator('sandbox/deposit', { orders: [order.id], confirmations: 0 });
		const { json, headers } = await receiver.waitFor(({ rawBody }) => rawBody.includes(order.id), 20_000);
		const { time, ...shown } = await readOrder(service.current(), partner, order);
		expect(json).toEqual({
			id: headers['x-partner-webhook-id'],
			type: 'order.status_changed',
			createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
			apiVersion: 'v1',
			data: { order: { ...shown, time: { ...time, left: expect.any(Number) } }, previousStatus: 'NEW', sequence: 1 },
		});
		expect(headers['x-partner-webhook-attempt']).toBe('1');
	});

	it('passes through PENDING though the deposit is final when first seen', async () => {
		const created = await create(service.current(), partner, createBody({ amount: '1.5' }));
		await service.current().operator('sandbox/deposit', { orders: [created.data.id] });
		await untilStatus(service.current(), partner, created.data, 'DONE');
		const shown = await service
			.current()
			.operator<{ history: { status: string }[] }>('order/show', { id: created.data.id });
		expect(shown.history.map(({ status }) => status)).toEqual(['NEW', 'PENDING', 'EXCHANGE', 'DONE']);
	});

	it('balances its books: entries sum to zero per asset', async () => {
		const created = await create(service.current(), partner);
		await service.current().operator('sandbox/deposit', { orders: [created.data.id] });
		await untilStatus(service.current(), partner, created.data, 'DONE');
		const entries = await service
			.current()
			.sql<{ asset: string; amount: string; account: string }>(
				'SELECT * FROM ledger_entries WHERE order_id = ?',
				created.data.id,
			);
		const sums = Object.fromEntries(
			[...Map.groupBy(entries, ({ asset }) => asset)].map(([asset, rows]) => [
				asset,
				rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
			]),
		);
		expect(sums).toEqual({ LTC: 0n, ETH: 0n });
		expect(entries.some(({ account }) => account === 'partner')).toBe(true);
		expect((await readOrder(service.current(), partner, created.data)).markupBps).toBe(100);
	});
});
