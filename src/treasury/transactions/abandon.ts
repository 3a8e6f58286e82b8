/**
 * Deletes a transaction that can never arrive and that nobody is owed. Its coins are still where they were. A pay-in
 * address is still a candidate, so its sweep is planned again.
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { BroadcastRejected } from '../../chains/errors.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { type LogEvent, log } from '../../platform/log.ts';
import type { TransactionKind, TransactionRow } from '../table.ts';
import { KINDS } from './kinds.ts';
import { remove } from './store.ts';

const EVENTS: Readonly<Partial<Record<TransactionKind, LogEvent>>> = { consolidation: 'consolidation_abandoned' };

/** True if it was deleted. `refusal`: what its broadcast threw. */
export async function tryAbandon(db: DrizzleD1Database, row: TransactionRow, refusal: unknown): Promise<boolean> {
	if (!(refusal instanceof BroadcastRejected)) return false;
	const { id, network, kind } = row;
	const { abandonedWhen } = KINDS[kind];
	if (abandonedWhen === 'never' || !refusal[abandonedWhen]) return false;
	log(EVENTS[kind] ?? 'sweep_abandoned', { payoutId: id, network, kind, reason: refusal.message });
	await runBatch(db, [remove(db, row)]);
	return true;
}
