/** Orders and volume of each reference code of a partner, counted from the orders at each call. */
import { and, count, eq, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { orders } from '../../orders/table.ts';
import { transactions } from '../../treasury/table.ts';
import { usdOfCents } from '../shown.ts';

/** Sorted by code. `volumeUsd`: what the deposits of its DONE orders were worth when they were settled. */
export async function codeCounters(db: DrizzleD1Database, partnerId: string) {
	const isDone = sql`${orders.status} = 'DONE'`;
	const rows = await db
		.select({
			code: orders.referenceCode,
			orders: count(),
			ordersDone: sql<number>`sum(${isDone})`,
			volumeUsdCents: sql<number>`sum(case when ${isDone} then coalesce(${transactions.usdCents}, 0) else 0 end)`,
		})
		.from(orders)
		// Literal, because SQLite takes a partial index only for the words that it was made with.
		.leftJoin(transactions, sql`${transactions.orderId} = ${orders.id} and ${transactions.kind} = 'payout'`)
		.where(and(eq(orders.partnerId, partnerId), sql`${orders.referenceCode} is not null`))
		.groupBy(orders.referenceCode)
		.orderBy(orders.referenceCode);
	return rows.map(({ volumeUsdCents, ...counted }) => ({ ...counted, volumeUsd: usdOfCents(volumeUsdCents) }));
}
