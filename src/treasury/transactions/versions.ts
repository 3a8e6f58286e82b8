/** Which version of a transaction stands: found on the chain, and made to agree in every row that names it. */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Chain, TransactionDepth } from '../../chains/port.ts';
import { runBatch, type Statement } from '../../d1/batches.ts';
import { logError } from '../../log.ts';
import type { TransactionRow } from '../table.ts';
import { EFFECTS } from './effects.ts';
import { restoreVersion, type Version } from './version-store.ts';

export interface Standing {
	readonly version: Version;
	readonly depth: TransactionDepth;
}

/** The version that a block holds, else the newest one that the mempool holds; null where there is none. */
export async function standingVersion(chain: Chain, versions: readonly Version[]): Promise<Standing | null> {
	let pooled: Standing | null = null;
	for (const version of versions) {
		const depth = await chain.transactionDepth(version.txId);
		if (depth && depth.confirmations > 0) return { version, depth };
		if (depth) pooled ??= { version, depth };
	}
	return pooled;
}

/**
 * Atomic: one batch. What the partner reads names the version that stands, and a version that a block holds becomes the
 * transaction's own again. No status changes, and no webhook is due. Safe to repeat.
 */
export async function followStanding(
	db: DrizzleD1Database,
	row: TransactionRow,
	{ version, depth }: Standing,
	now: number,
): Promise<void> {
	const statements: Statement[] = [...EFFECTS[row.kind].renamed(db, row, version.txId, now)];
	if (depth.confirmations > 0 && version.txId !== row.txId) statements.push(...restoreVersion(db, row, version, now));
	await runBatch(db, statements);
}

/** Whatever the network answers, the next poll sees which version stands. What it threw; null where it took it. */
export async function broadcastAgain(chain: Chain, row: TransactionRow, version: Version): Promise<unknown> {
	try {
		await chain.broadcast(version.raw);
		return null;
	} catch (error) {
		logError('payout_not_broadcast_again', error, { payoutId: row.id, txId: version.txId });
		return error;
	}
}
