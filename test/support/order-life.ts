import type { OrderView } from '../../src/orders/view.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from './orders.ts';
import { partnerForFile } from './partner.ts';
import { eventually, type TestService } from './service.ts';

/** Call it at the top of a test file. */
export function ordersForFile(service: { current: () => TestService }) {
	const partner = partnerForFile(service);

	async function newOrder(more: Record<string, unknown> = {}): Promise<CreatedOrder> {
		const { code, data } = await create(service.current(), partner(), more);
		if (code !== 0) throw new Error(`create: ${code}`);
		return data;
	}
	const read = (order: CreatedOrder): Promise<OrderView> => readOrder(service.current(), partner(), order);
	const until = (order: CreatedOrder, status: string): Promise<OrderView> =>
		untilStatus(service.current(), partner(), order, status);
	const deposit = (order: CreatedOrder, more: { amount?: string; confirmations?: number } = {}) =>
		service.current().operator('sandbox/deposit', { orders: [order.id], ...more });

	async function history(order: CreatedOrder): Promise<string[]> {
		const rows = await service
			.current()
			.sql<{ status: string }>('SELECT status FROM order_changes WHERE order_id = ? ORDER BY sequence', order.id);
		return rows.map(({ status }) => status);
	}

	/** Waits until `count` deposits of the order are recorded in one of the states. */
	const untilRecorded = (order: CreatedOrder, count: number, states: readonly string[] = ['seen', 'final']) =>
		eventually(`${count} deposits of ${order.id} to be recorded`, async () => {
			const rows = await service
				.current()
				.sql<{ state: string }>('SELECT state FROM deposits WHERE order_id = ?', order.id);
			return rows.filter(({ state }) => states.includes(state)).length === count;
		});

	/** Waits for a whole poll that began after this call: an order on the same network is created and becomes PENDING. */
	async function afterAPoll(): Promise<void> {
		const probe = await newOrder({ amount: '1' });
		await deposit(probe, { confirmations: 0 });
		await until(probe, 'PENDING');
	}

	/** Moves the order's times back, as if this much time had passed. */
	const age = (order: CreatedOrder, milliseconds: number) =>
		service
			.current()
			.sql(
				'UPDATE orders SET created_at = created_at - ?1, expires_at = expires_at - ?1, watch_until = watch_until - ?1 WHERE id = ?2',
				milliseconds,
				order.id,
			);

	return { partner, newOrder, read, until, deposit, history, untilRecorded, afterAPoll, age };
}
