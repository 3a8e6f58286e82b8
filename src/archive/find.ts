/**
 * Reads archived orders. One indexed lookup in D1 says which batches to read; an order that is not archived costs that
 * lookup and nothing else.
 */
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import { NETWORK_NAMES } from '../catalog/networks.ts';
import { type SealSource, sealKeysOf } from '../crypto/seals.ts';
import type { Db } from '../platform/d1/database.ts';
import { pick } from '../platform/pick.ts';
import { addressKey, isAmong, orderKey, referenceKey, transactionKey } from './keys.ts';
import { readLines } from './objects.ts';
import { type ArchivedOrder, ordersIn } from './record.ts';
import { type ArchivedBatch, archivedBatches, archivedKeys } from './table.ts';

export type ArchiveEnv = SealSource & { readonly ARCHIVE?: R2Bucket };

/** Two orders share a key only by chance, so this is far more than there ever are. */
const MAX_BATCHES = 8;

/** For a batch of D1 that reads other things as well. */
export const batchesWith = (db: Db, key: string) => batchesWithAny(db, [key]);

const REFERENCE = { ...pick(archivedBatches, 'number', 'object', 'seal', 'at') };

const batchesWithAny = (db: Db, keys: readonly string[]) =>
	db
		.selectDistinct(REFERENCE)
		.from(archivedKeys)
		.innerJoin(archivedBatches, eq(archivedBatches.number, archivedKeys.batch))
		.where(isAmong(keys))
		.orderBy(archivedBatches.number)
		.limit(MAX_BATCHES);

/** Batches with this key, the newest first. `below`: older ones than the batch with this number; null for all. */
export const newestBatchesWith = (db: Db, key: string, below: number | null, limit: number) =>
	db
		.select(REFERENCE)
		.from(archivedKeys)
		.innerJoin(archivedBatches, eq(archivedBatches.number, archivedKeys.batch))
		.where(and(sql`${archivedKeys.hash} = unhex(${key})`, below === null ? undefined : lt(archivedKeys.batch, below)))
		.orderBy(desc(archivedKeys.batch))
		.limit(limit);

/** The names by which an order is looked for. */
export interface Sought {
	/** A pay-in address or a reference, as it was entered. */
	readonly text: string;
	/** The same text as a transaction's id is stored. */
	readonly txId: string;
}

/** Batches with this pay-in address, or with this transaction of ours on one of these networks. */
export async function batchesWithOwn(db: Db, { text, txId }: Sought, networks: readonly string[]) {
	const keys = [addressKey(text), ...networks.map((network) => transactionKey(network, txId))];
	return batchesWithAny(db, await Promise.all(keys));
}

export type BatchReference = Pick<ArchivedBatch, 'number' | 'object' | 'seal' | 'at'>;

/**
 * The first order of these batches that matches; null where none does. `contains`: a text of the order's line, which
 * saves parsing the others. @throws where an object cannot be read
 */
export async function findIn(
	env: ArchiveEnv,
	batches: readonly BatchReference[],
	contains: string,
	matches: (found: ArchivedOrder) => boolean,
): Promise<ArchivedOrder | null> {
	for (const batch of batches) {
		const text = await readLines(env.ARCHIVE, sealKeysOf(env), batch);
		const found = ordersIn(text, (line) => line.includes(contains)).find(matches);
		if (found) return found;
	}
	return null;
}

export async function findArchived(db: Db, env: ArchiveEnv, id: string): Promise<ArchivedOrder | null> {
	return findIn(env, await batchesWith(db, await orderKey(id)), id, ({ order }) => order.id === id);
}

/** The order that the partner made with this Idempotency-Key. */
export const archivedByKey = (
	env: ArchiveEnv,
	batches: readonly BatchReference[],
	partnerId: string,
	key: string,
): Promise<ArchivedOrder | null> => {
	const isIt = ({ order }: ArchivedOrder) => order.partnerId === partnerId && order.idempotencyKey === key;
	return findIn(env, batches, JSON.stringify(key), isIt);
};

/** The order of the partner's reference, which they asked to be unique. */
export const archivedByReference = (
	env: ArchiveEnv,
	batches: readonly BatchReference[],
	partnerId: string,
	externalId: string,
): Promise<ArchivedOrder | null> =>
	findIn(
		env,
		batches,
		JSON.stringify(externalId),
		({ order }) => order.partnerId === partnerId && order.externalId === externalId && order.externalIdUnique,
	);

/** The order with this pay-in address or partner's reference, or with this transaction of ours. */
async function findArchivedByText(db: Db, env: ArchiveEnv, text: string): Promise<ArchivedOrder | null> {
	const sought = { text, txId: text };
	const isThis = (archived: ArchivedOrder) => isNamed(archived, sought);
	const own = await findIn(env, await batchesWithOwn(db, sought, NETWORK_NAMES), '', isThis);
	// References by themselves: any partner may have made any text one.
	return own ?? findIn(env, await batchesWith(db, await referenceKey(text)), '', isThis);
}

/** Has it this pay-in address, reference or transaction of ours? */
export const isNamed = ({ order, transactions, sweeps, versions }: ArchivedOrder, { text, txId }: Sought): boolean =>
	order.payInAddress.toLowerCase() === text.toLowerCase() ||
	order.externalId === text ||
	[...transactions, ...sweeps, ...versions].some((sent) => sent.txId === txId);

/**
 * The archived order with this id, pay-in address, reference or transaction of ours. @throws where an object cannot be
 * read
 */
export const findArchivedNamed = async (db: Db, env: ArchiveEnv, text: string) =>
	(await findArchived(db, env, text.toLowerCase())) ?? findArchivedByText(db, env, text);

/** The transactions with these ids that archived orders have. */
export async function archivedTransactions(db: Db, network: string, txIds: readonly string[]): Promise<string[]> {
	const keys = await Promise.all(txIds.map((txId) => transactionKey(network, txId)));
	const rows = await db
		.selectDistinct({ key: sql<string>`lower(hex(${archivedKeys.hash}))` })
		.from(archivedKeys)
		.where(isAmong(keys));
	const known = new Set(rows.map(({ key }) => key));
	return txIds.filter((_, i) => known.has(keys[i] ?? ''));
}
