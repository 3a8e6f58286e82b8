/** `POST /api/v1/order`: what it answers, and to whom (book: contract, "Order"). */
import { beforeAll, describe, expect, it } from 'vitest';
import type { OrderView } from '../../src/orders/view.ts';
import { ADDRESS_ON } from '../support/addresses.ts';
import { ordersForFile } from '../support/order-life.ts';
import { type CreatedOrder, create, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Answer, createPartner, newNonce, signed } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';

const service = sharedService();
const { partner, newOrder, read, deposit, history, untilRecorded, afterAPoll, age } = ordersForFile(service);
const NOT_FOUND = '{"code":6,"msg":"NOT_FOUND"}';
const REFUSED = '{"code":1,"msg":"INVALID_REQUEST"}';
const HOUR = 3_600_000;

const ask = (body: unknown, by = partner()): Promise<Answer<OrderView>> =>
	signed<OrderView>(service.current(), by, '/api/v1/order', body);

describe('the answer', () => {
	it('is the order without token', async () => {
		const { token: _, ...created } = await newOrder({ afftax: 7 });
		const { data, status, headers } = await ask({ id: created.id, token: _ });
		expect(status).toBe(200);
		expect(headers.get('cache-control')).toBe('no-store');
		expect(data).toEqual({ ...created, time: { ...created.time, left: data.time.left } });
		expect(Object.keys(data)).not.toContain('token');
	});

	it('time.left is computed per call, and never below 0', async () => {
		const order = await newOrder();
		await age(order, HOUR / 2);
		const half = (await read(order)).time;
		expect(half.left).toBeGreaterThanOrEqual(1798);
		expect(half.left).toBeLessThanOrEqual(1800);
		expect(half.expiration - half.reg).toBe(3600);
		await age(order, HOUR);
		expect((await read(order)).time.left).toBe(0);
	});

	it('any stored choice except EXCHANGE shows as NONE', async () => {
		const order = await newOrder();
		for (const [stored, shown] of [
			['REFUND', 'NONE'],
			['exchange', 'NONE'],
			['EXCHANGE', 'EXCHANGE'],
		]) {
			await service.current().sql('UPDATE orders SET emergency_choice = ? WHERE id = ?', stored, order.id);
			expect((await read(order)).emergency.choice).toBe(shown);
		}
	});
});

describe('an unknown id, another partner’s order, a wrong token and a soft-deleted order all return the same', () => {
	let order: CreatedOrder;
	beforeAll(async () => {
		order = await newOrder();
	});

	const expectNotFound = (answer: Answer<unknown>): void => {
		expect([answer.text, answer.status]).toEqual([NOT_FOUND, 404]);
	};

	it('an unknown id', async () => {
		expectNotFound(await ask({ id: newNonce(), token: order.token }));
		expectNotFound(await ask({ id: '00000000-0000-0000-0000-000000000000', token: order.token }));
	});

	it('another partner’s order', async () => {
		const other = await createPartner(service.current());
		expectNotFound(await ask({ id: order.id, token: order.token }, other));
	});

	it('a wrong token', async () => {
		const token = order.token ?? '';
		expectNotFound(await ask({ id: order.id, token: 'A'.repeat(43) }));
		expectNotFound(await ask({ id: order.id, token: `${token.startsWith('x') ? 'y' : 'x'}${token.slice(1)}` }));
		expectNotFound(await ask({ id: order.id, token: (await newOrder()).token }));
	});

	it('a malformed token', async () => {
		const token = order.token ?? '';
		const [row] = await service
			.current()
			.sql<{ hash: string }>('SELECT token_hash AS hash FROM orders WHERE id = ?', order.id);
		const malformed = ['', 'x', token.slice(1), `${token}A`, `${token}=`, ` ${token}`, `${token.slice(0, 42)}+`];
		for (const bent of [...malformed, `${token.slice(0, 42)}\u0000`, row?.hash, null, 7, true, [token], { token }]) {
			expectNotFound(await ask({ id: order.id, token: bent }));
		}
	});

	it('a soft-deleted order', async () => {
		const deleted = await newOrder();
		await service.current().operator('order/delete', { id: deleted.id });
		expectNotFound(await ask({ id: deleted.id, token: deleted.token }));
	});

	it('and with the right token the order is returned', async () => {
		expect((await ask({ id: order.id, token: order.token })).code).toBe(0);
	});
});

describe('the body', () => {
	it.each([
		'11111111-1111-1111-1111-111111111111',
		'12345678-1234-1234-1234-123456789012',
		'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
	])('an invented id → 6: %s', async (id) => {
		const answer = await signed(service.current(), partner(), '/api/v1/order', { id, token: 'x'.repeat(43) });
		expect([answer.status, answer.text]).toEqual([404, '{"code":6,"msg":"NOT_FOUND"}']);
	});

	it.each([undefined, null, '', 'x', 7, 'not-a-uuid', '7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1c', ['x']])(
		'an id that is not a UUID → 1: %j',
		async (id) => {
			expect((await ask({ id, token: 'A'.repeat(43) })).text).toBe(REFUSED);
		},
	);
});

describe('a soft-deleted order', () => {
	it('takes a deposit that is recorded, shown to the operator, and changes no status', async () => {
		const order = await newOrder();
		await service.current().operator('order/delete', { id: order.id });
		await deposit(order);
		await untilRecorded(order, 1);
		await afterAPoll();
		expect(await history(order)).toEqual(['NEW']);
		const waiting = await service.current().operator<{ id: string }[]>('order/list', { attention: true });
		expect(waiting.map(({ id }) => id)).toContain(order.id);
	});
});

describe('a soft-deleted order that was paid', () => {
	it('ends with its refund, so that its coins can be swept; it tells nobody and takes no share of the cap', async () => {
		const { operator, sql } = service.current();
		const order = await newOrder({
			fromCcy: 'ETH',
			toCcy: 'LTC',
			toAddress: LTC_REFUND,
			refundAddress: ADDRESS_ON.Ethereum,
		});
		await operator('order/delete', { id: order.id });
		await deposit(order);
		await untilRecorded(order, 1);
		await eventually('the refund', () => operator('order/refund', { id: order.id }).catch(() => null));
		await eventually('the end', async () => (await history(order)).at(-1) === 'EXPIRED');
		expect(await history(order)).toEqual(['NEW', 'EXPIRED']);
		expect(await sql('SELECT holds_cap FROM orders WHERE id = ?', order.id)).toEqual([{ holds_cap: 0 }]);
		expect(await sql('SELECT id FROM webhook_events WHERE order_id = ? AND sequence > 0', order.id)).toEqual([]);
	});
});

describe('partner aggregate counters', () => {
	it('are never decremented: a soft-deleted order keeps its earnings and its volume', async () => {
		const earning = await createPartner(service.current(), { afftaxBps: 100 });
		const { data: order } = await create(service.current(), earning);
		await deposit(order);
		await untilStatus(service.current(), earning, order, 'DONE');
		const counters = () => service.current().operator<Record<string, unknown>>('partner/show', { id: earning.id });
		const before = await counters();
		expect(before).toMatchObject({ ordersDone: 1, earnedUsd: '1.90' });
		await service.current().operator('order/delete', { id: order.id });
		await afterAPoll();
		expect(await counters()).toEqual(before);
	});
});
