/** Withdrawals on record: what the operator takes out of the payout wallets (`treasury withdraw`). */
import { and, desc, eq, isNull, or, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { runBatch } from '../../d1/batches.ts';
import { exactSum } from '../../d1/exact-sum.ts';
import type { Statement } from '../move-order.ts';
import { type TransactionRow, transactions } from '../table.ts';

/** The one withdrawal of the asset that is not final. */
export async function unfinishedWithdrawal(db: DrizzleD1Database, asset: AssetId): Promise<TransactionRow | null> {
	// Literal, because SQLite takes a partial index only for the words that it was made with.
	const isUnfinished = sql`${transactions.kind} = 'withdrawal' and ${transactions.state} <> 'final'`;
	const [row] = await db
		.select()
		.from(transactions)
		.where(and(isUnfinished, eq(transactions.asset, asset)));
	return row ?? null;
}

export interface NewWithdrawal {
	readonly id: string;
	readonly asset: AssetId;
	readonly toAddress: string;
	/** Base units, more than none. */
	readonly amount: bigint;
	/** What it is worth now. */
	readonly usdCents: number;
}

/**
 * Atomic: one batch writes the row and `also`. It goes the way of every payout from there (`pay.ts`).
 * @throws what D1 throws, also where another withdrawal of the asset is not final
 */
export async function planWithdrawal(
	db: DrizzleD1Database,
	{ id, asset, toAddress, amount, usdCents }: NewWithdrawal,
	now: number,
	also: readonly Statement[],
): Promise<void> {
	const row = db.insert(transactions).values({
		...{ id, asset, toAddress, amount: amount.toString(), usdCents },
		...{ kind: 'withdrawal', network: assetOf(asset).network, state: 'planned' },
		...{ plannedAt: now, nextAttemptAt: now },
	});
	await runBatch(db, [row, ...also]);
}

/** Literal, because SQLite takes a partial index only for the words that it was made with. */
const isWithdrawal = sql`${transactions.kind} = 'withdrawal'`;

/** The newest first. */
export const lastWithdrawals = (db: DrizzleD1Database, limit: number): Promise<TransactionRow[]> =>
	db.select().from(transactions).where(isWithdrawal).orderBy(desc(transactions.plannedAt)).limit(limit);

/** All that was ever withdrawn and arrived, or will, base units. */
export async function withdrawnSums(db: DrizzleD1Database): Promise<Partial<Record<AssetId, bigint>>> {
	const rows = await db
		.select({ asset: transactions.asset, amount: exactSum(transactions.amount) })
		.from(transactions)
		.where(
			and(
				isWithdrawal,
				or(eq(transactions.state, 'final'), and(eq(transactions.state, 'sent'), isNull(transactions.finalAt))),
				isNull(transactions.settledTxId),
			),
		)
		.groupBy(transactions.asset);
	return Object.fromEntries(rows.map(({ asset, amount }) => [asset, amount]));
}
