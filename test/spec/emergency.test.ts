/** EMERGENCY, late deposits, and the partner's choice (book: contract, "States and transitions", "Orders"). */
import { beforeAll, describe, expect, it } from 'vitest';
import { type CreatedOrder, create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const service = sharedService();
let partner: Credentials;

beforeAll(async () => {
	partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
});

async function newOrder(): Promise<CreatedOrder> {
	const { data, text } = await create(service.current(), partner);
	expect(data?.id, text).toBeTruthy();
	return data;
}

const deposit = (order: CreatedOrder, amount: string, more: Record<string, unknown> = {}) =>
	service.current().operator('sandbox/deposit', { orders: [order.id], amount, ...more });

const until = (order: CreatedOrder, status: string) => untilStatus(service.current(), partner, order, status);

const choose = ({ id, token }: CreatedOrder, more: Record<string, unknown> = {}) =>
	signed(service.current(), partner, '/api/v1/emergency', { id, token, choice: 'EXCHANGE', ...more });

/** Closes the order's deposit window by moving its times back. */
async function expire(order: CreatedOrder): Promise<void> {
	const closed = Date.now() - 1000;
	await service.current().sql('UPDATE orders SET expires_at = ?2 WHERE id = ?1', order.id, closed);
	await until(order, 'EXPIRED');
}

describe('a deposit outside the per-pair USD bounds', () => {
	it('makes the order EMERGENCY, and emergency.status contains LIMIT', async () => {
		const order = await newOrder();
		await deposit(order, '0.1');
		const view = await until(order, 'EMERGENCY');
		expect(view.emergency).toEqual({ status: ['LIMIT'], choice: 'NONE' });
		expect(view.from.tx.amount).toBe('0.1');
	});

	it('EXCHANGE continues the normal lifecycle at the live rate', async () => {
		const order = await newOrder();
		await deposit(order, '0.1');
		await until(order, 'EMERGENCY');
		const answer = await choose(order);
		expect([answer.status, answer.code, answer.data]).toEqual([200, 0, true]);
		const done = await until(order, 'DONE');
		expect(done.emergency).toEqual({ status: [], choice: 'EXCHANGE' });
		expect(Number(done.to.tx.amount)).toBeLessThan(0.003);
	});

	it('further deposits that bring the total into bounds resume it without a choice', async () => {
		const order = await newOrder();
		await deposit(order, '0.1');
		await until(order, 'EMERGENCY');
		await deposit(order, '1.9');
		const done = await until(order, 'DONE');
		expect(done.from.tx.amount).toBe('2');
		expect(done.emergency).toEqual({ status: [], choice: 'NONE' });
	});

	it('a deposit worth less than its own network fee is recorded and, alone, changes no status', async () => {
		const order = await newOrder();
		await deposit(order, '0.00001');
		await eventually('the dust to be recorded', async () => {
			const { deposits } = await service.current().operator<{ deposits: unknown[] }>('order/show', { id: order.id });
			return deposits.length > 0;
		});
		expect((await readOrder(service.current(), partner, order)).status).toBe('NEW');
		await deposit(order, '2');
		expect((await until(order, 'DONE')).from.tx.amount).toBe('2.00001');
	});

	it('shows the worth of the received amount at the live rate, updated when more arrives', async () => {
		const order = await newOrder();
		await deposit(order, '600');
		const view = await until(order, 'EMERGENCY');
		const worth = (received: number) => received * Number(view.rate) - Number(view.networkFee);
		expect(Number(view.to.amount)).toBeCloseTo(worth(600), 6);
		await deposit(order, '50');
		const more = await eventually('the second deposit', async () => {
			const now = await readOrder(service.current(), partner, order);
			return now.from.tx.amount === '650' && now;
		});
		expect([more.status, more.emergency.choice]).toEqual(['EMERGENCY', 'NONE']);
		expect(Number(more.to.amount)).toBeCloseTo(worth(650), 6);
		const { payouts } = await service.current().operator<{ payouts: unknown[] }>('order/show', { id: order.id });
		expect(payouts).toEqual([]);
	});

	it('EXCHANGE on an order whose payout would not be positive: accepted, stays EMERGENCY', async () => {
		const order = await newOrder();
		await deposit(order, '0.001');
		await until(order, 'EMERGENCY');
		expect((await choose(order)).data).toBe(true);
		const view = await readOrder(service.current(), partner, order);
		expect([view.status, view.emergency.choice]).toEqual(['EMERGENCY', 'EXCHANGE']);
	});
});

describe('a deposit first seen after the window closed', () => {
	it('makes an EXPIRED order EMERGENCY with EXPIRED', async () => {
		const order = await newOrder();
		await expire(order);
		expect((await readOrder(service.current(), partner, order)).time.left).toBe(0);
		await deposit(order, '2');
		expect((await until(order, 'EMERGENCY')).emergency.status).toEqual(['EXPIRED']);
	});

	it('has LIMIT too, if both apply', async () => {
		const order = await newOrder();
		await expire(order);
		await deposit(order, '0.1');
		expect((await until(order, 'EMERGENCY')).emergency.status).toEqual(['LIMIT', 'EXPIRED']);
	});

	it('is exchanged when the partner chooses so', async () => {
		const order = await newOrder();
		await expire(order);
		await deposit(order, '2');
		await until(order, 'EMERGENCY');
		await choose(order);
		await until(order, 'DONE');
	});
});

describe('POST /api/v1/emergency', () => {
	it('choice: exactly EXCHANGE (case-sensitive); anything else returns code 12', async () => {
		const order = await newOrder();
		await deposit(order, '0.1');
		await until(order, 'EMERGENCY');
		for (const choice of ['exchange', 'REFUND', '', null, 1, undefined, ['EXCHANGE']]) {
			const { status, code, msg } = await choose(order, { choice });
			expect([status, code, msg]).toEqual([400, 12, 'EMERGENCY_INVALID_CHOICE']);
		}
		expect((await readOrder(service.current(), partner, order)).emergency.choice).toBe('NONE');
	});

	it('the order must currently be EMERGENCY; otherwise code 1 with its own msg and HTTP 400', async () => {
		const { text, status } = await choose(await newOrder());
		expect([status, JSON.parse(text)]).toEqual([400, { code: 1, msg: 'order not in emergency state' }]);
	});

	it('mismatch, cross-partner or missing token returns code 6', async () => {
		const order = await newOrder();
		await deposit(order, '0.1');
		await until(order, 'EMERGENCY');
		expect((await choose({ ...order, token: 'A'.repeat(43) })).code).toBe(6);
		expect((await choose(order, { token: undefined })).code).toBe(6);
		const other = await createPartner(service.current());
		const body = { id: order.id, token: order.token, choice: 'EXCHANGE' };
		expect((await signed(service.current(), other, '/api/v1/emergency', body)).code).toBe(6);
	});

	it('an unknown id and a soft-deleted order return code 6', async () => {
		const order = await newOrder();
		await deposit(order, '0.1');
		await until(order, 'EMERGENCY');
		expect((await choose({ ...order, id: crypto.randomUUID() })).code).toBe(6);
		await service.current().operator('order/delete', { id: order.id });
		const { status, text } = await choose(order);
		expect([status, text]).toEqual([404, '{"code":6,"msg":"NOT_FOUND"}']);
	});
});

describe('the operator', () => {
	it('finalises an EMERGENCY order: it becomes EXPIRED', async () => {
		const order = await newOrder();
		await deposit(order, '0.1');
		await until(order, 'EMERGENCY');
		await service.current().operator('order/finalise', { id: order.id, reason: 'the payer asked' });
		expect((await readOrder(service.current(), partner, order)).status).toBe('EXPIRED');
		const again = service.current().operator('order/finalise', { id: order.id, reason: 'again' });
		await expect(again).rejects.toThrow('is EXPIRED, not EMERGENCY');
	});

	it('finalises, and the partner gets order.status_changed', async () => {
		const receiver = await startWebhookReceiver();
		const told = await createPartner(service.current(), { webhookUrl: receiver.url });
		const { data: order } = await create(service.current(), told);
		await deposit(order, '0.1');
		await untilStatus(service.current(), told, order, 'EMERGENCY');
		await service.current().operator('order/finalise', { id: order.id, reason: 'the payer asked' });
		const { json } = await receiver.waitFor(({ rawBody }) => rawBody.includes('"previousStatus":"EMERGENCY"'), 20_000);
		expect(json).toMatchObject({ type: 'order.status_changed', data: { order: { id: order.id, status: 'EXPIRED' } } });
		await receiver.close();
	});

	it('refunds: the received amount less its network fee is sent back; back.tx.id is set and the order is EXPIRED', async () => {
		const order = await newOrder();
		await deposit(order, '0.1');
		await until(order, 'EMERGENCY');
		const refund = await service.current().operator('order/refund', { id: order.id });
		expect(refund).toMatchObject({ asset: 'LTC', to: LTC_REFUND, amount: '0.0999', networkFee: '0.0001' });
		const view = await until(order, 'EXPIRED');
		expect(view.back).toEqual({ address: LTC_REFUND, tx: { id: expect.stringMatching(/^[0-9a-f]{64}$/) } });
		await expect(service.current().operator('order/refund', { id: order.id })).rejects.toThrow('was sent at');
	});

	it('refunds a deposit that came after the payout began; the order stays DONE', async () => {
		const order = await newOrder();
		await deposit(order, '2');
		await until(order, 'DONE');
		await deposit(order, '1');
		await eventually('the operator to be shown the deposit', async () => {
			const listed = await service.current().operator<{ id: string }[]>('order/list', { attention: true });
			return listed.some(({ id }) => id === order.id);
		});
		await service.current().operator('order/refund', { id: order.id });
		await eventually('the refund', async () => (await readOrder(service.current(), partner, order)).back.tx.id);
		expect((await readOrder(service.current(), partner, order)).status).toBe('DONE');
		const sums = await service
			.current()
			.sql<{ asset: string; amount: string }>('SELECT asset, amount FROM ledger_entries WHERE order_id = ?', order.id);
		for (const [, rows] of Map.groupBy(sums, ({ asset }) => asset)) {
			expect(rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(0n);
		}
	});

	it('refunds a deposit to a soft-deleted order', async () => {
		const order = await newOrder();
		await service.current().operator('order/delete', { id: order.id });
		await deposit(order, '2');
		await eventually('the refund to be planned', async () =>
			service
				.current()
				.operator('order/refund', { id: order.id })
				.catch(() => false),
		);
		await eventually('the refund', async () => {
			const { order: shown } = await service
				.current()
				.operator<{ order: { back: { tx: { id: string | null } } } }>('order/show', { id: order.id });
			return shown.back.tx.id;
		});
	});
});
