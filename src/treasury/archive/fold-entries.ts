/**
 * The ledger's entries of archived orders leave D1, and the balances of all accounts stay what they were. Everything about
 * that is in this file.
 */
import { sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { ArchivedOrder } from '../../archive/record.ts';
import type { SumName } from '../../archive/sums.ts';
import type { AssetId } from '../../catalog/assets.ts';
import type { Statement } from '../../d1/batches.ts';
import { inJson } from '../../d1/lists.ts';
import { ledgerEntries } from '../ledger/table.ts';

/** Statements of the batch that archives these orders, before their rows are deleted. */
export const foldEntries = (db: DrizzleD1Database, orderIds: readonly string[]): Statement[] => [
	db.delete(ledgerEntries).where(sql`${ledgerEntries.orderId} in ${inJson(orderIds)}`),
];

/** What the entries add to the balances that are kept of archived orders. */
export const entrySums = ({ entries }: ArchivedOrder): { what: SumName; asset: AssetId; amount: bigint }[] =>
	entries.map(({ account, asset, amount }) => ({ what: `entries ${account}`, asset, amount: BigInt(amount) }));

/** An order's entries always sum to zero per asset. One whose entries do not stays where the ledger check finds it. */
export function isBalanced({ entries }: ArchivedOrder): boolean {
	const sums = new Map<AssetId, bigint>();
	for (const { asset, amount } of entries) sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(amount));
	return [...sums.values()].every((sum) => sum === 0n);
}
