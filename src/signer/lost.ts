/**
 * Notices that the journal was lost: it has signed nothing, and D1 has transactions that were signed. Then the signer
 * takes itself for restored (`restored.ts`): it signs for new orders, and for older ones only after a person has looked.
 *
 * An attacker who writes D1 can make a signer that has signed nothing yet wait for a person, and nothing else. Once it
 * has signed something, D1 is not asked any more.
 */
import { sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { NETWORK_NAMES, type NetworkName } from '../catalog/networks.ts';
import { log } from '../log.ts';
import { orders } from '../orders/table.ts';
import { transactions } from '../treasury/table.ts';
import type { Journal } from './journal/journal.ts';
import { scopeOf } from './new-addresses.ts';
import type { Restored } from './restored.ts';

/**
 * Call it as early as can be, and before anything is derived or signed: every order that D1 has by then counts as an
 * older one. @throws what D1 throws
 */
export async function noticeLoss(db: DrizzleD1Database, journal: Journal, restored: Restored): Promise<void> {
	if (restored.state() !== null || !journal.isEmpty()) return;
	const [signed] = await db
		.select({ id: transactions.id })
		.from(transactions)
		.where(sql`${transactions.txId} is not null`)
		.limit(1);
	if (!signed || !journal.isEmpty()) return;
	const rows = await db
		.select({ network: orders.fromNetwork, next: sql<number>`max(${orders.payInIndex}) + 1` })
		.from(orders)
		.groupBy(orders.fromNetwork);
	const floors: Record<string, number> = Object.fromEntries(NETWORK_NAMES.map((name) => [scopeOf(name), 0]));
	for (const { network, next } of rows) {
		const scope = scopeOf(network as NetworkName);
		floors[scope] = Math.max(floors[scope] ?? 0, next);
	}
	if (restored.begin({ backupAt: null, restoredAt: Date.now(), floors })) log('journal_lost', { floors });
}
