/** The coins that went back of orders: read for the few of a list that were refunded. */
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits, sumOf } from '../../money/units.ts';
import type { OrderRow } from '../../orders/table.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { transactions } from '../../treasury/table.ts';

/** By order: plain decimals of the asset that was paid in. */
export type Returned = ReadonlyMap<string, string>;

export async function returnedOf(
	db: DrizzleD1Database,
	rows: readonly Pick<OrderRow, 'id' | 'refundTxId'>[],
): Promise<Returned> {
	const ids = rows.flatMap(({ id, refundTxId }) => (refundTxId === null ? [] : [id]));
	if (ids.length === 0) return new Map();
	const { orderId, asset, amount, kind, sentAt } = transactions;
	const refunds = await db
		.select({ orderId, asset, amount })
		.from(transactions)
		.where(and(sql`${orderId} in ${inJson(ids)}`, eq(kind, 'refund'), isNotNull(sentAt)));
	const byOrder = Map.groupBy(refunds, (refund) => refund.orderId ?? '');
	return new Map(
		[...byOrder].map(([id, [first, ...more]]) => [
			id,
			first ? fromBaseUnits(sumOf([first, ...more]), assetOf(first.asset).decimals) : '0',
		]),
	);
}
