/**
 * Moves finished orders from D1 to R2. The steps, and why a crash between them loses nothing and counts nothing twice:
 *
 * 1. All rows of the orders are read in one transaction, with a fingerprint of them.
 * 2. Their books are proven, and it is worked out how their entries fold into the opening balance
 *    (`ledger/fold.ts`). Orders whose seal is broken, or whose books do not hold, stay in D1 and are logged.
 * 3. The object is created in R2 and read back, and the API Worker finds it. Its name is the hash of its content. A crash
 *    here leaves an object that nothing names; the next run makes the same object again, or another one if a row has
 *    changed meanwhile.
 * 4. The number of the last batch is read together with the totals that will change.
 * 5. Atomic, one batch of D1: the new number, the keys, the totals, the folding, and the deletion of the rows. The first
 *    statement fails the whole batch unless the number is new and the fingerprint is still the same; the folding's own
 *    guard fails it where a piece of the books was sealed again meanwhile, as by `ledger check`. So each order is either
 *    in D1, whole, or in the archive, whole, and its totals are added exactly when it leaves. If the answer is lost, the
 *    next run sees what is true: the orders are there or not.
 */
import { type SQL, sql } from 'drizzle-orm';
import {
	addressKey,
	idempotencyKeyOf,
	orderKey,
	referenceKey,
	transactionKey,
	uniqueReferenceKey,
} from '../../archive/keys.ts';
import { type StoredObject, sealBatch, writeObject } from '../../archive/objects.ts';
import type { ArchivedOrder } from '../../archive/record.ts';
import { archivedBatches, archivedKeys } from '../../archive/table.ts';
import type { SealKeys } from '../../crypto/seals.ts';
import { orderSealHolds } from '../../orders/seal.ts';
import { deposits, orderChanges, orders } from '../../orders/table.ts';
import { webhookEndpoints } from '../../partners/table.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { isIn } from '../../platform/d1/lists.ts';
import { log } from '../../platform/log.ts';
import { utcDay } from '../../platform/time.ts';
import { webhookDeliveries, webhookEvents } from '../../webhooks/table.ts';
import { partnerPayoutOrders } from '../earnings/table.ts';
import { foldEntries } from '../ledger/fold.ts';
import { transactions, transactionVersions } from '../table.ts';
import { foldedTotals, loadTotals, storeTotals } from './fold.ts';
import { fingerprint, isDeliveryOf, isSweepOf, isVersionOf, type Loaded, loadWhole } from './load.ts';

export interface Move {
	readonly db: Db;
	readonly bucket: R2Bucket;
	/** Does the API Worker, which reads archived orders, find this object in the bucket that it has? */
	readonly isFound: (object: string) => Promise<boolean>;
	readonly sealKeys: SealKeys;
	/** As for `isArchivable`. */
	readonly before: number;
	readonly now: number;
	/** Written with the move. */
	readonly cursor: Statement;
}

/** Most orders that one line of the log names. */
const NAMED = 20;

const NOT_FOUND =
	'nothing is archived: the API Worker does not find what was written. Its bucket ARCHIVE must be the operator Worker’s';

/** How many orders were moved. @throws where R2 or D1 does not answer, or another run was faster */
export async function moveOrders(move: Move, ids: readonly string[]): Promise<number> {
	const { db, bucket, isFound, sealKeys, before, now } = move;
	const { loaded, folding } = await loadSound(move, ids);
	if (loaded.orders.length === 0) {
		await runBatch(db, [move.cursor]);
		return 0;
	}
	const made = loaded.orders.map(({ order }) => order.createdAt);
	const stored = await writeObject(bucket, loaded.orders, utcDay(Math.max(...made)));
	if (!(await isFound(stored.object))) throw new Error(NOT_FOUND);
	const [[last], totals] = await db.batch([
		db.select({ number: sql<number>`coalesce(max(${archivedBatches.number}), 0)` }).from(archivedBatches),
		loadTotals(db, loaded.orders),
	]);
	const number = (last?.number ?? 0) + 1;
	const seal = await sealBatch(sealKeys, { number, ...stored });
	const keys = (await Promise.all(loaded.orders.map(keysOf))).flat();
	const moved = loaded.orders.map(({ order }) => order.id);
	await runBatch(db, [
		insertBatch(db, { number, seal, ...stored, made, now }, { loaded, ids: moved, before }),
		insertKeys(db, number, keys),
		storeTotals(db, foldedTotals(totals, loaded.orders)),
		...folding,
		...deleteRows(db, moved),
		move.cursor,
	]);
	log('orders_archived', { batch: number, orders: moved.length, object: stored.object, bytes: stored.bytes });
	return moved.length;
}

interface Sound {
	readonly loaded: Loaded;
	/** Statements that fold the entries of these orders. */
	readonly folding: readonly Statement[];
}

const NOTHING: Sound = { loaded: { orders: [], fingerprint: '' }, folding: [] };

/**
 * Without orders whose books or seals are broken: these stay in D1, where `ledger check` and the operator find them. Each
 * round leaves some out, so there are as many as orders at most.
 */
async function loadSound(move: Move, ids: readonly string[]): Promise<Sound> {
	const { db, sealKeys, before, now } = move;
	if (ids.length === 0) return NOTHING;
	const loaded = await loadWhole(db, ids, before);
	const seals = await Promise.all(loaded.orders.map(({ order }) => orderSealHolds(sealKeys, order, order.seal)));
	const broken = loaded.orders.filter((_, i) => !seals[i]).map(({ order }) => order.id);
	if (broken.length > 0) return loadWithout(move, ids, broken, 'seal');
	const folding = await foldEntries(db, sealKeys, ids, now);
	if ('refused' in folding) return loadWithout(move, ids, folding.orders, folding.refused);
	return { loaded, folding: folding.statements };
}

function loadWithout(move: Move, ids: readonly string[], left: readonly string[], cause: string): Promise<Sound> {
	log('orders_not_archived', { cause, count: left.length, orders: left.slice(0, NAMED) });
	return loadSound(
		move,
		ids.filter((id) => !left.includes(id)),
	);
}

interface NewBatch extends StoredObject {
	readonly number: number;
	readonly seal: string;
	/** When each of its orders was made. */
	readonly made: readonly number[];
	readonly now: number;
}

/** Fails on the column `orders`, and with it the whole batch, where a row is not what was read. */
function insertBatch(
	db: Db,
	{ number, object, seal, bytes, made, now }: NewBatch,
	{ loaded, ids, before }: { readonly loaded: Loaded; readonly ids: readonly string[]; readonly before: number },
): Statement {
	const isSame = sql`${fingerprint(ids, before)} = ${loaded.fingerprint} and ${loaded.fingerprint} like ${`[${ids.length},%`}`;
	return db
		.insert(archivedBatches)
		.values({
			number,
			object,
			seal,
			orders: sql`case when ${isSame} then ${sql.raw(String(ids.length))} end` as SQL<number>,
			bytes,
			firstAt: Math.min(...made),
			lastAt: Math.max(...made),
			at: now,
		});
}

const insertKeys = (db: Db, number: number, keys: readonly string[]): Statement =>
	db
		.insert(archivedKeys)
		.select(
			sql`select unhex(value), ${sql.raw(String(number))} from json_each(${JSON.stringify([...new Set(keys)].toSorted())})`,
		);

function keysOf({ order, transactions: payments, sweeps, versions }: ArchivedOrder): Promise<string[]> {
	const { id, partnerId, idempotencyKey, externalId, payInAddress } = order;
	const networks = new Map([...payments, ...sweeps].map((each) => [each.id, each.network]));
	const sent = [
		...[...payments, ...sweeps].map(({ network, txId }) => ({ network, txId })),
		...versions.map(({ transactionId, txId }) => ({ network: networks.get(transactionId) ?? '', txId })),
	];
	return Promise.all([
		orderKey(id),
		addressKey(payInAddress),
		...(idempotencyKey === null ? [] : [idempotencyKeyOf(partnerId, idempotencyKey)]),
		...(externalId === null ? [] : [referenceKey(externalId)]),
		...(externalId !== null && order.externalIdUnique ? [uniqueReferenceKey(partnerId, externalId)] : []),
		...sent.flatMap(({ network, txId }) => (txId === null ? [] : [transactionKey(network, txId)])),
	]);
}

/** In the order that the foreign keys ask for. */
const deleteRows = (db: Db, ids: readonly string[]): Statement[] => [
	db.delete(webhookDeliveries).where(isDeliveryOf(ids)),
	db.delete(webhookEvents).where(isIn(webhookEvents.orderId, ids)),
	db.delete(webhookEndpoints).where(isIn(webhookEndpoints.orderId, ids)),
	db.delete(partnerPayoutOrders).where(isIn(partnerPayoutOrders.orderId, ids)),
	db.delete(transactionVersions).where(isVersionOf(ids)),
	db.delete(transactions).where(isIn(transactions.orderId, ids)),
	db.delete(transactions).where(isSweepOf(ids)),
	db.delete(deposits).where(isIn(deposits.orderId, ids)),
	db.delete(orderChanges).where(isIn(orderChanges.orderId, ids)),
	db.delete(orders).where(isIn(orders.id, ids)),
];
