/** The deposits and transactions of several orders at once, and what screening said about them, by order. */
import { sql } from 'drizzle-orm';
import type { ArchivedOrder } from '../../archive/record.ts';
import { deposits, type OrderRow } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { screenings } from '../../treasury/screening/table.ts';
import { transactions } from '../../treasury/table.ts';

export type OrderFacts = Pick<ArchivedOrder, 'deposits' | 'transactions' | 'screened'>;

/** The facts of an order by its id. */
export async function factsOfOrders(
	db: Db,
	among: readonly Pick<OrderRow, 'id'>[],
): Promise<(orderId: string) => OrderFacts> {
	const ids = inJson(among.map(({ id }) => id));
	const [depositRows, transactionRows, screeningRows] = await db.batch([
		db.select().from(deposits).where(sql`${deposits.orderId} in ${ids}`),
		db.select().from(transactions).where(sql`${transactions.orderId} in ${ids}`),
		db.select().from(screenings).where(sql`${screenings.orderId} in ${ids}`),
	]);
	const byOrder = {
		deposits: Map.groupBy(depositRows, ({ orderId }) => orderId),
		transactions: Map.groupBy(transactionRows, ({ orderId }) => orderId),
		screened: Map.groupBy(screeningRows, ({ orderId }) => orderId),
	};
	return (id) => ({
		deposits: byOrder.deposits.get(id) ?? [],
		transactions: byOrder.transactions.get(id) ?? [],
		screened: byOrder.screened.get(id) ?? [],
	});
}
