/** Orders and volume of each reference code of a partner, counted at each call, archived orders included. */
import { and, count, eq, ne, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { archivedTotals } from '../../archive/table.ts';
import { orders } from '../../orders/table.ts';
import { transactions } from '../../treasury/table.ts';
import { usdOfCents } from '../shown.ts';

/** Sorted by code. `volumeUsd`: what the deposits of its DONE orders were worth when they were settled. */
export async function codeCounters(db: DrizzleD1Database, partnerId: string) {
	const isDone = sql`${orders.status} = 'DONE'`;
	const [live, archived] = await db.batch([
		db
			.select({
				code: sql<string>`${orders.referenceCode}`,
				orders: count(),
				ordersDone: sql<number>`sum(${isDone})`,
				volumeUsdCents: sql<number>`sum(case when ${isDone} then coalesce(${transactions.usdCents}, 0) else 0 end)`,
			})
			.from(orders)
			// Literal, because SQLite takes a partial index only for the words that it was made with.
			.leftJoin(transactions, sql`${transactions.orderId} = ${orders.id} and ${transactions.kind} = 'payout'`)
			.where(and(eq(orders.partnerId, partnerId), sql`${orders.referenceCode} is not null`))
			.groupBy(orders.referenceCode),
		db
			.select({
				code: archivedTotals.referenceCode,
				orders: sql<number>`sum(${archivedTotals.orders})`,
				ordersDone: sql<number>`sum(${archivedTotals.ordersDone})`,
				volumeUsdCents: sql<number>`sum(${archivedTotals.volumeUsdCents})`,
			})
			.from(archivedTotals)
			.where(and(eq(archivedTotals.partnerId, partnerId), ne(archivedTotals.referenceCode, '')))
			.groupBy(archivedTotals.referenceCode),
	]);
	const byCode = Map.groupBy([...live, ...archived], ({ code }) => code);
	return [...byCode.keys()].toSorted().map((code) => {
		const sum = (field: 'orders' | 'ordersDone' | 'volumeUsdCents') =>
			(byCode.get(code) ?? []).reduce((total, row) => total + row[field], 0);
		return { code, orders: sum('orders'), ordersDone: sum('ordersDone'), volumeUsd: usdOfCents(sum('volumeUsdCents')) };
	});
}
