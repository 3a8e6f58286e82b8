/** Orders beside rows that name them. They are read by themselves, because D1 answers with at most a hundred columns. */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type OrderRow, orders } from '../../orders/table.ts';
import { isIn } from '../../platform/d1/lists.ts';

/** Each with its order; without those whose order is not there. */
export async function withOrders<Row extends object>(
	db: DrizzleD1Database,
	found: readonly Row[],
	orderIdOf: (row: Row) => string,
): Promise<(Row & { readonly order: OrderRow })[]> {
	if (found.length === 0) return [];
	const orderIds = found.map(orderIdOf);
	const rows = await db.select().from(orders).where(isIn(orders.id, orderIds));
	const orderById = new Map(rows.map((order) => [order.id, order]));
	return found.flatMap((row) => {
		const order = orderById.get(orderIdOf(row));
		return order ? [{ ...row, order }] : [];
	});
}
