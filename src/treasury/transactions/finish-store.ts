/** Orders and their partners in D1, once the network has taken a payout or a refund. */
import { and, eq, isNotNull, ne, sql } from 'drizzle-orm';
import { BPS } from '../../money/bps.ts';
import { type DepositRow, deposits, type OrderRow, orders } from '../../orders/table.ts';
import { partners } from '../../partners/table.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
import type { LedgerEntry } from '../ledger/entries.ts';
import { ledgerEntries } from '../ledger/table.ts';
import { type TransactionRow, transactions } from '../table.ts';

export interface Finished {
	/** The payout or refund. */
	readonly row: TransactionRow;
	readonly order: OrderRow;
	/** The order's entries of its settlement. */
	readonly entries: readonly LedgerEntry[];
	/** The deposits that the payout or refund pays for. */
	readonly deposits: readonly DepositRow[];
	/** Has the order a payout? A payout that was given up is deleted. */
	readonly hasPayout: boolean;
}

/** In order; null for a transaction whose order is missing. */
export async function loadFinished(db: Db, part: readonly TransactionRow[]): Promise<(Finished | null)[]> {
	const orderIds = inJson(part.flatMap(({ orderId }) => orderId ?? []));
	const isSettled = sql`${ledgerEntries.orderId} in ${orderIds}
		and (${ledgerEntries.cause} = 'settled' or ${ledgerEntries.cause} like 'restated %')`;
	const [rows, entries, claimed, paying] = await db.batch([
		db.select().from(orders).where(sql`${orders.id} in ${orderIds}`),
		db.select().from(ledgerEntries).where(isSettled),
		db.select().from(deposits).where(sql`${deposits.orderId} in ${orderIds}`),
		db
			.select({ orderId: transactions.orderId })
			.from(transactions)
			// Literal, for the partial index.
			.where(sql`${transactions.orderId} in ${orderIds} and ${transactions.kind} = 'payout'`),
	]);
	return part.map((transaction): Finished | null => {
		const order = rows.find(({ id }) => id === transaction.orderId);
		return order
			? {
					row: transaction,
					order,
					entries: entries.filter(({ orderId }) => orderId === transaction.orderId),
					deposits: claimed.filter(({ payoutId }) => payoutId === transaction.id),
					hasPayout: paying.some(({ orderId }) => orderId === transaction.orderId),
				}
			: null;
	});
}

/** Counters never go down. `usdCents`: the order's value. */
export function countOrder(db: Db, partnerId: string, usdCents: number, afftaxBps: number): Statement {
	// Whole cents, rounded down. D1 binds every number as REAL, so SQLite must not divide.
	const earned = Number((BigInt(usdCents) * BigInt(afftaxBps)) / BigInt(BPS));
	return db
		.update(partners)
		.set({
			ordersDone: sql`${partners.ordersDone} + 1`,
			volumeUsdCents: sql`${partners.volumeUsdCents} + ${usdCents}`,
			earnedUsdCents: sql`${partners.earnedUsdCents} + ${earned}`,
		})
		.where(eq(partners.id, partnerId));
}

export const renamePayout = renamed('payoutTxId');
export const renameRefund = renamed('refundTxId');

/**
 * An order has copies of the ids of its payout and refund, so that a partner's read is one row. This changes a copy
 * that is there already; the first one is written with the order's move.
 */
function renamed(column: 'payoutTxId' | 'refundTxId') {
	return (db: Db, { orderId }: TransactionRow, txId: string, now: number): Statement[] => {
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
