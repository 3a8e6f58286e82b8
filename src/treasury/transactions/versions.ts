/**
 * The versions of a payout, of which at most one is ever on the chain: `payouts` has the newest, or the one that a block
 * holds; `transaction_versions` has the others. Says which of them stands, and makes the rows say the same.
 */
import { and, eq, isNotNull, ne, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Chain, TransactionDepth } from '../../chains/port.ts';
import { runBatch } from '../../d1/batches.ts';
import { logError } from '../../log.ts';
import { orders } from '../../orders/table.ts';
import type { Statement } from '../move-order.ts';
import { partnerPayouts, type TransactionRow, transactions, transactionVersions } from '../table.ts';

export type Replaced = typeof transactionVersions.$inferSelect;

export interface Version {
	readonly raw: string;
	readonly txId: string;
}

export const newestOf = ({ raw, txId }: TransactionRow): Version => ({ raw: raw ?? '', txId: txId ?? '' });

/** By payout id, the latest first. Seldom any. */
export async function replacedVersions(
	db: DrizzleD1Database,
	sent: readonly TransactionRow[],
): Promise<Map<string, Replaced[]>> {
	if (sent.length === 0) return new Map();
	const ids = JSON.stringify(sent.map(({ id }) => id));
	const rows = await db
		.select()
		.from(transactionVersions)
		.where(sql`${transactionVersions.transactionId} in (select value from json_each(${ids}))`);
	rows.sort((a, b) => b.replacedAt - a.replacedAt);
	return Map.groupBy(rows, ({ transactionId }) => transactionId);
}

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
 * Atomic: one batch. What the partner reads names the transaction that is really there, and a version that a block holds
 * becomes the payout's own again. No status changes, and no webhook is due. Safe to repeat.
 */
export async function followStanding(
	db: DrizzleD1Database,
	payout: TransactionRow,
	{ version, depth }: Standing,
	now: number,
): Promise<void> {
	const statements: Statement[] = [...namedStatements(db, payout, version.txId, now)];
	if (depth.confirmations > 0 && version.txId !== payout.txId) statements.push(...swap(db, payout, version, now));
	await runBatch(db, statements);
}

/** The older version is kept before the newer one is ever broadcast. */
export const replaceStatements = (
	db: DrizzleD1Database,
	payout: TransactionRow,
	next: Version,
	now: number,
): Statement[] => {
	const { raw, txId } = newestOf(payout);
	return [
		db
			.insert(transactionVersions)
			.values({ transactionId: payout.id, txId, raw, replacedAt: now })
			.onConflictDoNothing(),
		db
			.update(transactions)
			.set({ raw: next.raw, txId: next.txId })
			.where(and(eq(transactions.id, payout.id), eq(transactions.txId, txId))),
	];
};

const swap = (db: DrizzleD1Database, payout: TransactionRow, winner: Version, now: number): Statement[] => [
	db
		.delete(transactionVersions)
		.where(and(eq(transactionVersions.transactionId, payout.id), eq(transactionVersions.txId, winner.txId))),
	...replaceStatements(db, payout, winner, now),
];

/** The copies of the transaction id that partners read. */
export function namedStatements(db: DrizzleD1Database, payout: TransactionRow, txId: string, now: number): Statement[] {
	if (payout.kind === 'earnings') {
		const mine = and(eq(partnerPayouts.id, payout.id), isNotNull(partnerPayouts.txId), ne(partnerPayouts.txId, txId));
		return [db.update(partnerPayouts).set({ txId }).where(mine)];
	}
	if (payout.orderId === null) return [];
	const ofOrder = eq(orders.id, payout.orderId);
	return payout.kind === 'payout'
		? [
				db
					.update(orders)
					.set({ payoutTxId: txId, updatedAt: now })
					.where(and(ofOrder, isNotNull(orders.payoutTxId), ne(orders.payoutTxId, txId))),
			]
		: [
				db
					.update(orders)
					.set({ refundTxId: txId, updatedAt: now })
					.where(and(ofOrder, isNotNull(orders.refundTxId), ne(orders.refundTxId, txId))),
			];
}

/** Whatever the network says: the next look sees what stands. Its refusal, if that is what it says. */
export async function broadcastAgain(chain: Chain, payout: TransactionRow, version: Version): Promise<unknown> {
	try {
		await chain.broadcast(version.raw);
		return null;
	} catch (error) {
		logError('payout_not_broadcast_again', error, { payoutId: payout.id, txId: version.txId });
		return error;
	}
}
