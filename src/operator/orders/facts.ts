/** The deposits and transactions of several orders at once, by order. */
import { sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { deposits } from '../../orders/table.ts';
import { transactions } from '../../treasury/table.ts';

export async function factsOfOrders(db: DrizzleD1Database, orderIds: readonly string[]) {
	const among = sql`(select value from json_each(${JSON.stringify(orderIds)}))`;
	const [depositRows, transactionRows] = await db.batch([
		db.select().from(deposits).where(sql`${deposits.orderId} in ${among}`),
		db.select().from(transactions).where(sql`${transactions.orderId} in ${among}`),
	]);
	return {
		deposits: Map.groupBy(depositRows, ({ orderId }) => orderId),
		payouts: Map.groupBy(transactionRows, ({ orderId }) => orderId),
	};
}
