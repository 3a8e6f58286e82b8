/**
 * The versions of a transaction in D1. `transactions` has the newest version, or the one that is in a block;
 * `transaction_versions` has the others. At most one of all is ever on the chain.
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { type TransactionRow, transactions, transactionVersions } from '../table.ts';
import { blockedColumns, NOT_WAITING } from './stop-reason.ts';

/**
 * Earlier versions of one transaction that are looked for. On EVM and UTXO networks there are never so many, because
 * each pays more; elsewhere the signer has proven each of them dead before it made the next.
 */
const MOST_REPLACED = 30;

export type Replaced = typeof transactionVersions.$inferSelect;

export interface Version {
	readonly raw: string;
	readonly txId: string;
}

export const newestOf = ({ raw, txId }: Pick<TransactionRow, 'raw' | 'txId'>): Version => ({
	raw: raw ?? '',
	txId: txId ?? '',
});

/**
 * False where an earlier journal signed it (`restored paid`): the chain has its bytes, and nothing of ours has them. It is
 * looked for, and never broadcast.
 */
export const hasBytes = ({ raw }: Pick<TransactionRow, 'raw'>): boolean => raw !== null && raw !== '';

/** By transaction id, the latest first. Most have none. */
export async function replacedVersions(db: Db, sent: readonly TransactionRow[]): Promise<Map<string, Replaced[]>> {
	if (sent.length === 0) return new Map();
	const ids = inJson(sent.map(({ id }) => id));
	const rows = await db.select().from(transactionVersions).where(sql`${transactionVersions.transactionId} in ${ids}`);
	rows.sort((a, b) => b.replacedAt - a.replacedAt);
	const byTransaction = Map.groupBy(rows, ({ transactionId }) => transactionId);
	return new Map([...byTransaction].map(([id, versions]) => [id, versions.slice(0, MOST_REPLACED)]));
}

/** Makes `next` the transaction's own version and keeps the one before. What stopped that one does not stop this one. */
export const replaceVersion = (db: Db, row: TransactionRow, next: Version, now: number): Statement[] => {
	const { raw, txId } = newestOf(row);
	return [
		db.insert(transactionVersions).values({ transactionId: row.id, txId, raw, replacedAt: now }).onConflictDoNothing(),
		db
			.update(transactions)
			.set({ raw: next.raw, txId: next.txId, fee: null, finalAt: null, ...blockedColumns(null), ...NOT_WAITING })
			.where(and(eq(transactions.id, row.id), eq(transactions.txId, txId))),
	];
};

/** Makes an older version, which is in a block, the transaction's own again. */
export const restoreVersion = (db: Db, row: TransactionRow, confirmed: Version, now: number): Statement[] => [
	db
		.delete(transactionVersions)
		.where(and(eq(transactionVersions.transactionId, row.id), eq(transactionVersions.txId, confirmed.txId))),
	...replaceVersion(db, row, confirmed, now),
];

/** Is it a transaction of the service, of any kind and version? */
export async function isOwnTransaction(db: Db, txId: string): Promise<boolean> {
	const [newest, replaced] = await db.batch([
		db
			.select({ id: transactions.id })
			.from(transactions)
			// By the index, which begins with the network.
			.where(and(inArray(transactions.network, [...NETWORK_NAMES]), eq(transactions.txId, txId)))
			.limit(1),
		db
			.select({ id: transactionVersions.transactionId })
			.from(transactionVersions)
			.where(eq(transactionVersions.txId, txId))
			.limit(1),
	]);
	return newest.length + replaced.length > 0;
}
