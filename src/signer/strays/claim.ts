/** Reads what D1 says of returns of strays that are to be signed, and of the orders at whose addresses strays lie. */
import { and, eq } from 'drizzle-orm';
import { type OrderRow, orders } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { isIn } from '../../platform/d1/lists.ts';
import { type StrayRow, strays } from '../../treasury/strays/table.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';

export interface StrayClaim {
	readonly row: TransactionRow;
	readonly order: OrderRow;
	readonly stray: StrayRow;
}

const isOfIt = and(
	eq(strays.network, transactions.network),
	eq(strays.address, transactions.payInAddress),
	eq(strays.asset, transactions.sweepAsset),
);

/** The transactions among these that move a stray: its return, the gas for its sweep, and that sweep. */
export async function loadStrayClaims(db: Db, payoutIds: readonly string[]): Promise<StrayClaim[]> {
	const found = await db
		.select({ row: transactions, stray: strays })
		.from(transactions)
		.innerJoin(strays, isOfIt)
		.where(isIn(transactions.id, payoutIds));
	return withOrders(db, found, ({ stray }) => stray.orderId);
}

/**
 * Each with its order; without those whose order is not there. Orders are read by themselves, because D1 answers with at most a
 * hundred columns.
 */
export async function withOrders<Row extends object>(
	db: Db,
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
