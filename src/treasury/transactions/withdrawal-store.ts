/** Withdrawals in D1. Conditions of partial indexes are literal. */
import { and, desc, eq, isNull, or, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { AssetId } from '../../catalog/assets.ts';
import { exactSum } from '../../platform/d1/exact-sum.ts';
import { type TransactionRow, transactions } from '../table.ts';

/** The one withdrawal of the asset that is not final. */
export async function unfinishedWithdrawal(db: DrizzleD1Database, asset: AssetId): Promise<TransactionRow | null> {
	const isUnfinished = sql`${transactions.kind} = 'withdrawal' and ${transactions.state} <> 'final'`;
	const [row] = await db
		.select()
		.from(transactions)
		.where(and(isUnfinished, eq(transactions.asset, asset)));
	return row ?? null;
}

const isWithdrawal = sql`${transactions.kind} = 'withdrawal'`;

/** The newest first. */
export const lastWithdrawals = (db: DrizzleD1Database, limit: number): Promise<TransactionRow[]> =>
	db.select().from(transactions).where(isWithdrawal).orderBy(desc(transactions.plannedAt)).limit(limit);

/** All withdrawals that arrived or may arrive, base units. */
export const withdrawnByAddress = (db: DrizzleD1Database) =>
	db
		.select({ asset: transactions.asset, toAddress: transactions.toAddress, amount: exactSum(transactions.amount) })
		.from(transactions)
		.where(
			and(
				isWithdrawal,
				or(eq(transactions.state, 'final'), and(eq(transactions.state, 'sent'), isNull(transactions.finalAt))),
				isNull(transactions.settledTxId),
			),
		)
		.groupBy(transactions.asset, transactions.toAddress);
