/** Reads what D1 says of transactions of the house's own coins that are to be signed. They belong to no order. */
import { and, inArray } from 'drizzle-orm';
import type { Db } from '../../platform/d1/database.ts';
import { isIn } from '../../platform/d1/lists.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { isMovementRow, type MovementRow } from './judge.ts';

export interface OwnTransactions {
	/** Gas to pay-in addresses, and sweeps of them. */
	readonly movements: readonly MovementRow[];
	/** Consolidations of the hot wallet, and withdrawals from it. */
	readonly consolidations: readonly TransactionRow[];
	readonly withdrawals: readonly TransactionRow[];
}

/** Leaves out transactions of other kinds, and rows that lack their pay-in address or asset. */
export async function loadOwnTransactions(db: Db, payoutIds: readonly string[]): Promise<OwnTransactions> {
	const isOwn = inArray(transactions.kind, ['gas', 'sweep', 'consolidation', 'withdrawal']);
	const isAsked = and(isIn(transactions.id, payoutIds), isOwn);
	const rows = await db.select().from(transactions).where(isAsked);
	const ofKind = (wanted: TransactionRow['kind']) => rows.filter(({ kind }) => kind === wanted);
	return {
		movements: rows.filter(isMovementRow),
		consolidations: ofKind('consolidation'),
		withdrawals: ofKind('withdrawal'),
	};
}
