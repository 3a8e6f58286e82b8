/** Reads what D1 says of returns of strays that are to be signed, and of the orders at whose addresses strays lie. */
import { and, eq } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { OrderRow } from '../../orders/table.ts';
import { isIn } from '../../platform/d1/lists.ts';
import { type StrayRow, strays } from '../../treasury/strays/table.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { withOrders } from './with-orders.ts';

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
export async function loadStrayClaims(db: DrizzleD1Database, payoutIds: readonly string[]): Promise<StrayClaim[]> {
	const found = await db
		.select({ row: transactions, stray: strays })
		.from(transactions)
		.innerJoin(strays, isOfIt)
		.where(isIn(transactions.id, payoutIds));
	return withOrders(db, found, ({ stray }) => stray.orderId);
}
