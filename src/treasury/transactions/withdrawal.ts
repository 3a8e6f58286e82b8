/** Withdrawals on record: what the operator takes out of the payout wallets (`treasury withdraw`). */
import { and, desc, eq, isNull, or, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { runBatch } from '../../d1/batches.ts';
import { exactSum } from '../../d1/exact-sum.ts';
import type { Statement } from '../move-order.ts';
import { type PayoutRow, payouts } from '../table.ts';

/** The one withdrawal of the asset that is not final. */
export async function unfinishedWithdrawal(db: DrizzleD1Database, asset: AssetId): Promise<PayoutRow | null> {
	// Literal, because SQLite takes a partial index only for the words that it was made with.
	const isUnfinished = sql`${payouts.kind} = 'withdrawal' and ${payouts.state} <> 'final'`;
	const [row] = await db
		.select()
		.from(payouts)
		.where(and(isUnfinished, eq(payouts.asset, asset)));
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
	const row = db.insert(payouts).values({
		...{ id, asset, toAddress, amount: amount.toString(), usdCents },
		...{ kind: 'withdrawal', network: assetOf(asset).network, state: 'planned' },
		...{ plannedAt: now, nextAttemptAt: now },
	});
	await runBatch(db, [row, ...also]);
}

/** Literal, because SQLite takes a partial index only for the words that it was made with. */
const isWithdrawal = sql`${payouts.kind} = 'withdrawal'`;

/** The newest first. */
export const lastWithdrawals = (db: DrizzleD1Database, limit: number): Promise<PayoutRow[]> =>
	db.select().from(payouts).where(isWithdrawal).orderBy(desc(payouts.plannedAt)).limit(limit);

/** All that was ever withdrawn and arrived, or will, base units. */
export async function withdrawnSums(db: DrizzleD1Database): Promise<Partial<Record<AssetId, bigint>>> {
	const rows = await db
		.select({ asset: payouts.asset, amount: exactSum(payouts.amount) })
		.from(payouts)
		.where(
			and(
				isWithdrawal,
				or(eq(payouts.state, 'final'), and(eq(payouts.state, 'sent'), isNull(payouts.finalAt))),
				isNull(payouts.settledTxId),
			),
		)
		.groupBy(payouts.asset);
	return Object.fromEntries(rows.map(({ asset, amount }) => [asset, amount]));
}
