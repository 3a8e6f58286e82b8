/** Planning a withdrawal: what the operator takes out of a hot wallet (`treasury withdraw`). */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
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
	db: DrizzleD1Database,
	{ id, asset, toAddress, amount, usdCents }: NewWithdrawal,
	now: number,
	also: readonly Statement[],
): Promise<void> {
	const { network } = assetOf(asset);
	const planned = { id, kind: 'withdrawal', network, asset, toAddress, amount: amount.toString(), usdCents } as const;
	const row = insertPlanned(db, planned, now);
	await runBatch(db, [row, ...also]);
}
