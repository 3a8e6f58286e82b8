/** A partner's own archived orders, for their cabinet: what a page shows of them, and no secret. */
import { sealKeysOf } from '../crypto/seals.ts';
import type { OrderRow } from '../orders/table.ts';
import { type Db, databaseOf } from '../platform/d1/database.ts';
import {
	type ArchiveEnv,
	type BatchReference,
	batchesWith,
	batchesWithOwn,
	findArchived,
	isNamed,
	newestBatchesWith,
	type Sought,
} from './find.ts';
import { orderKey, referenceKey } from './keys.ts';
import { readLines } from './objects.ts';
import { type ArchivedOrder, ordersIn } from './record.ts';

/** Rows of one kind that a page shows: more are an attack. */
const MOST_ROWS = 100;
/** Batches with a reference that one search reads; the next one goes on below them. */
const MOST_BATCHES = 8;
/** A search that has found so many reads no further batch. */
const ENOUGH_ORDERS = 50;

type Env = ArchiveEnv & { readonly DB: D1Database };

export type OwnArchived = Pick<ArchivedOrder, 'order' | 'changes' | 'deposits' | 'transactions' | 'events'>;

/** How far a search went. */
export interface SearchEnd {
	/** The number of the last batch that it read. */
	readonly batch: number;
	/** Unix milliseconds: every order that was archived from then on was looked at. */
	readonly at: number;
}

export interface OwnFound {
	readonly orders: readonly OrderRow[];
	/** Null where all of the archive was looked at. */
	readonly end: SearchEnd | null;
}

const HIDDEN = { tokenHash: '', requestHash: '', seal: '' };

const isOwn = (partnerId: string, { order }: ArchivedOrder): boolean =>
	order.partnerId === partnerId && order.deletedAt === null;

/**
 * Null where the partner has no archived order with this id, or where it is deleted. @throws where the archive cannot be
 * read
 */
export async function ownArchived(env: Env, partnerId: string, id: string): Promise<OwnArchived | null> {
	const found = await findArchived(databaseOf(env), env, id);
	if (!found || !isOwn(partnerId, found)) return null;
	const { order, changes, deposits, transactions, events } = found;
	return {
		order: { ...order, ...HIDDEN },
		changes: changes.slice(0, MOST_ROWS),
		deposits: deposits.slice(0, MOST_ROWS),
		transactions: transactions.slice(0, MOST_ROWS).map((transaction) => ({ ...transaction, raw: null })),
		events: events.slice(0, MOST_ROWS).map((event) => ({ ...event, body: '' })),
	};
}

/**
 * The partner's archived orders with this id, pay-in address, reference or transaction of ours. Any partner may have made
 * any text a reference, so many batches may have it: one call reads a few, the newest first. `below`: the batch at which
 * the call before ended; null for the first one. @throws where the archive cannot be read
 */
export async function searchOwn(
	env: Env,
	partnerId: string,
	sought: Sought,
	{ networks, below }: { readonly networks: readonly string[]; readonly below: number | null },
): Promise<OwnFound> {
	const db = databaseOf(env);
	const id = sought.text.toLowerCase();
	const found = new Map<string, OrderRow>();
	const read = async (batch: BatchReference): Promise<void> => {
		const lines = await readLines(env.ARCHIVE, sealKeysOf(env), batch);
		for (const archived of ordersIn(lines, (line) => line.includes(JSON.stringify(partnerId)))) {
			const { order } = archived;
			if (isOwn(partnerId, archived) && (order.id === id || isNamed(archived, sought)))
				found.set(order.id, { ...order, ...HIDDEN });
		}
	};
	const named = below === null ? await batchesNamed(db, id, sought, networks) : [];
	for (const batch of named) await read(batch);
	const batches = await newestBatchesWith(db, await referenceKey(sought.text), below, MOST_BATCHES + 1);
	for (const [i, batch] of batches.entries()) {
		if (!named.some(({ number }) => number === batch.number)) await read(batch);
		const { number, at } = batch;
		const isEnough = i + 1 === MOST_BATCHES || found.size >= ENOUGH_ORDERS;
		if (isEnough && i + 1 < batches.length) return { orders: [...found.values()], end: { batch: number, at } };
	}
	return { orders: [...found.values()], end: null };
}

/** With this id, pay-in address or transaction: nobody can choose these, so the first few batches are all. */
async function batchesNamed(db: Db, id: string, sought: Sought, networks: readonly string[]) {
	const [byId, own] = await Promise.all([
		orderKey(id).then((key) => batchesWith(db, key)),
		batchesWithOwn(db, sought, networks),
	]);
	return [...new Map([...byId, ...own].map((batch) => [batch.number, batch])).values()];
}
