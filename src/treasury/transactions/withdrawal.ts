/** Planning a withdrawal: what the operator takes out of a hot wallet (`treasury withdraw`). */
import { and, desc, eq, isNull, or, sql } from 'drizzle-orm';
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { exactSum } from '../../platform/d1/exact-sum.ts';
import { type TransactionRow, transactions } from '../table.ts';
import { insertPlanned } from './store.ts';

export interface NewWithdrawal {
	readonly id: string;
	readonly asset: AssetId;
	readonly toAddress: string;
	/** Base units, above zero. */
	readonly amount: bigint;
	/** Its value now, US cents. */
	readonly usdCents: number;
}

/**
 * Atomic: one batch writes the row and `also`. Then it takes the path of every transaction (`advance.ts`).
 * @throws what D1 throws, also where another withdrawal of the asset is not final
 */
export async function planWithdrawal(
	db: Db,
	{ id, asset, toAddress, amount, usdCents }: NewWithdrawal,
	now: number,
	also: readonly Statement[],
): Promise<void> {
	const { network } = assetOf(asset);
	const planned = { id, kind: 'withdrawal', network, asset, toAddress, amount: amount.toString(), usdCents } as const;
	const row = insertPlanned(db, planned, now);
	await runBatch(db, [row, ...also]);
}

/** The one withdrawal of the asset that is not final. */
export async function unfinishedWithdrawal(db: Db, asset: AssetId): Promise<TransactionRow | null> {
	const isUnfinished = sql`${transactions.kind} = 'withdrawal' and ${transactions.state} <> 'final'`;
	const isOfIt = and(isUnfinished, eq(transactions.asset, asset));
	const [row] = await db.select().from(transactions).where(isOfIt);
	return row ?? null;
}

const isWithdrawal = sql`${transactions.kind} = 'withdrawal'`;

/** The newest first. */
export const lastWithdrawals = (db: Db, limit: number): Promise<TransactionRow[]> =>
	db.select().from(transactions).where(isWithdrawal).orderBy(desc(transactions.plannedAt)).limit(limit);

/** All withdrawals that arrived or may arrive, base units. */
export const withdrawnByAddress = (db: Db) => {
	const { asset, toAddress, amount, state, finalAt, settledTxId } = transactions;
	const mayArrive = or(eq(state, 'final'), and(eq(state, 'sent'), isNull(finalAt)));
	const isIt = and(isWithdrawal, mayArrive, isNull(settledTxId));
	const sums = { asset, toAddress, amount: exactSum(amount) };
	return db.select(sums).from(transactions).where(isIt).groupBy(asset, toAddress);
};
