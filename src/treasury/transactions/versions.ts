/** Finds which version of a transaction is on the chain or in the mempool, and writes it to every row that names it. */
import type { Chain, TransactionDepth } from '../../chains/port.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { logError } from '../../platform/log.ts';
import type { TransactionRow } from '../table.ts';
import { EFFECTS } from './effects.ts';
import { restoreVersion, type Version } from './version-store.ts';

export interface Standing {
	readonly version: Version;
	readonly depth: TransactionDepth;
}

/** The version in a block, else the newest one in the mempool; null if there is none. */
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
 * Atomic: one batch. Partners then read the id of this version, and a version in a block becomes the transaction's own
 * again. No status changes, and no webhook is due. Safe to repeat.
 */
export async function followStanding(db: Db, row: TransactionRow, { version, depth }: Standing, now: number) {
	const isRestored = depth.confirmations > 0 && version.txId !== row.txId;
	const statements: Statement[] = isRestored ? [...restoreVersion(db, row, version, now)] : [];
	// After the row, which some copies are made of.
	statements.push(...EFFECTS[row.kind].renamed(db, row, version.txId, now));
	if (statements.length > 0) await runBatch(db, statements);
}

/** Returns what the network threw; null if it took the version. The next poll sees which version is there. */
export async function broadcastAgain(chain: Chain, row: TransactionRow, version: Version): Promise<unknown> {
	try {
		await chain.broadcast(version.raw);
		return null;
	} catch (error) {
		logError('payout_not_broadcast_again', error, { payoutId: row.id, txId: version.txId });
		return error;
	}
}
