/** An order carries copies of the ids of its payout and refund, so that a partner's read is one row. */
import { and, eq, isNotNull, ne } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Statement } from '../../d1/batches.ts';
import { orders } from '../../orders/table.ts';
import type { TransactionRow } from '../table.ts';

export const renamePayout = copy('payoutTxId');
export const renameRefund = copy('refundTxId');

/** Changes a copy that is there already: it appears first with the status that the transaction brings. */
function copy(column: 'payoutTxId' | 'refundTxId') {
	return (db: DrizzleD1Database, { orderId }: TransactionRow, txId: string, now: number): Statement[] => {
		if (orderId === null) return [];
		const isOther = and(isNotNull(orders[column]), ne(orders[column], txId));
		return [
			db
				.update(orders)
				.set({ [column]: txId, updatedAt: now })
				.where(and(eq(orders.id, orderId), isOther)),
		];
	};
}
