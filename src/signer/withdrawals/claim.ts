/** Reads what D1 says of withdrawals that are to be signed. */
import { and, eq, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { inJson } from '../../platform/d1/lists.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';

/** Leaves out transactions of other kinds. */
export const loadWithdrawals = (db: DrizzleD1Database, payoutIds: readonly string[]): Promise<TransactionRow[]> =>
	db
		.select()
		.from(transactions)
		.where(and(sql`${transactions.id} in ${inJson(payoutIds)}`, eq(transactions.kind, 'withdrawal')));
