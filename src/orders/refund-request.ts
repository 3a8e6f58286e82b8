/**
 * A refund that the payer, or the partner, asks for. It goes to the refund address of the order and to no other. It is a
 * wish: the operator plans the refund, or it goes by itself up to a worth that they set (`treasury/deposits/undecided.ts`).
 * The signer judges it as any other refund, so never both a payout and a refund are signed.
 */
import { and, eq, isNotNull, isNull, not, sql } from 'drizzle-orm';
import type { Db } from '../platform/d1/database.ts';
import { NO_REFUND_ASKED } from './refund-answer.ts';
import { type OrderRow, orders, type RefundAsker } from './table.ts';

/** False where the order moved, or a payout was signed, since it was read. One statement, so no race. */
export async function askRefund(
	db: Db,
	{ id, sequence }: Pick<OrderRow, 'id' | 'sequence'>,
	by: RefundAsker,
	now: number,
): Promise<boolean> {
	// In the words of the partial index on what is planned or signed for an order.
	const isDecided = sql`exists (select 1 from transactions where transactions.order_id = ${orders.id}
		and transactions.state in ('planned', 'signed') and (transactions.state = 'signed' or transactions.kind = 'refund'))`;
	const isNew = isNull(orders.refundAskedAt);
	const asked = await db
		.update(orders)
		.set({ refundAskedAt: now, refundAskedBy: by, updatedAt: now })
		.where(and(eq(orders.id, id), eq(orders.sequence, sequence), isNull(orders.deletedAt), isNew, not(isDecided)))
		.returning({ id: orders.id });
	return asked.length > 0;
}

/** For the batch that plans the refund. */
export const endRefundRequest = (db: Db, id: string, now: number) =>
	db
		.update(orders)
		.set({ ...NO_REFUND_ASKED, updatedAt: now })
		.where(and(eq(orders.id, id), isNotNull(orders.refundAskedAt)));
