/** Orders in D1, through Drizzle: the reads of the endpoints, and the one batch that makes an order. */
import { and, eq, isNull, not, type SQL, sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/sqlite-core';
import { batchesWith } from '../archive/find.ts';
import { guardKeys, idempotencyKeyOf, insertGuard, uniqueReferenceKey } from '../archive/keys.ts';
import { type WebhookEndpointRow, webhookEndpoints } from '../partners/table.ts';
import { builtNow, builtOnce, insertBuiltOnce, rowReader } from '../platform/d1/built.ts';
import type { Db } from '../platform/d1/database.ts';
import { errorText } from '../platform/d1/error-text.ts';
import { NO_REFUND_ASKED } from './refund-answer.ts';
import { type NewOrderRow, type OrderRow, orderChanges, orders } from './table.ts';

/** With the database that it asks. */
export type OrdersDatabase = Db & { readonly $client: D1Database };

/** The order as it was inserted, or why it was not; `unknown` when the answer was lost and it may be there or not. */
export type InsertOutcome =
	| OrderRow
	| 'id taken'
	/** An order has the Idempotency-Key, or the reference that this one asks to be unique. */
	| 'key taken'
	| 'address taken'
	| 'maintenance'
	| 'daily cap'
	| 'unpaid share'
	/** A recipient is a pay-in address of ours. */
	| 'own address'
	| 'unknown';

/** An order that is to be stored. */
export interface NewOrder {
	readonly order: NewOrderRow;
	/** Its callback, as an endpoint of its own. */
	readonly callback: WebhookEndpointRow | null;
}

/** D1 refused one of those that were written together, so it has none of them. */
export type RefusedTogether = 'refused together';

/**
 * Atomic: an order, its claim on the address (by unique key), the day's volume and what the partner's unpaid orders hold
 * of it (by trigger), the idempotency key, its callback and the first line of its history are one batch; any of them failing undoes all.
 * So does an archived order with the same idempotency key or unique reference, or whose pay-in address is a recipient
 * (`archive_guard`). Several orders are one batch too: they are all there, or none. Never throws.
 */
export async function insertOrders(
	db: OrdersDatabase,
	made: readonly NewOrder[],
): Promise<(InsertOutcome | RefusedTogether)[]> {
	const guarded = await Promise.all(made.map(async ({ order }) => ({ order, guard: await guardKeys(order) })));
	const database = db.$client;
	const statements = guarded.flatMap(({ order, guard }) => [
		builtNow(database, insertGuard(db, guard)),
		insertRow(database, order),
		insertChange(database, { orderId: order.id, sequence: 0, status: 'NEW', cause: 'created', at: order.createdAt }),
	]);
	const callbacks = made.flatMap(({ callback }) => (callback ? [insertEndpoint(database, callback)] : []));
	try {
		const results = await database.batch<Record<string, unknown>>([...statements, ...callbacks]);
		return made.map((_, i) => {
			const [row] = results[i * STATEMENTS + INSERTED]?.results ?? [];
			return row ? readOrder(Object.values(row)) : 'unknown';
		});
	} catch (error) {
		const outcome = outcomeOf(errorText(error));
		return made.map(() => (outcome === 'unknown' || made.length === 1 ? outcome : 'refused together'));
	}
}

/** One order's statements in a batch, and which of them answers with its row. */
const [STATEMENTS, INSERTED] = [3, 1];

const readOrder = rowReader(orders);
const insertRow = insertBuiltOnce(orders, true);
const insertChange = insertBuiltOnce(orderChanges, false);
const insertEndpoint = insertBuiltOnce(webhookEndpoints, false);

function outcomeOf(text: string): InsertOutcome {
	if (text.includes('refused: maintenance')) return 'maintenance';
	if (text.includes('refused: daily cap')) return 'daily cap';
	if (text.includes('refused: unpaid share')) return 'unpaid share';
	if (text.includes('refused: own address')) return 'own address';
	if (text.includes('refused: archived key')) return 'key taken';
	if (text.includes('UNIQUE constraint failed: orders.partner_id, orders.idempotency_key')) return 'key taken';
	if (text.includes('UNIQUE constraint failed: orders.partner_id, orders.external_id')) return 'key taken';
	if (text.includes('UNIQUE constraint failed: orders.from_network, orders.pay_in_address')) return 'address taken';
	if (text.includes('UNIQUE constraint failed: orders.id')) return 'id taken';
	return 'unknown';
}

export async function findOrder(db: Db, id: string): Promise<OrderRow | null> {
	return (await db.select().from(orders).where(eq(orders.id, id)))[0] ?? null;
}

/** The columns that name an order to its partner. */
export type NamedOrder = Pick<OrderRow, 'id' | 'tokenHash'>;

/**
 * The orders with these ids and tokens, in one query; null for one that is not there or is deleted. A wrong token finds no
 * row, as an unknown id does, so that the answer takes as long. Whose they are is not asked.
 */
export async function findNamedOrders(database: Pick<D1Database, 'prepare'>, named: readonly NamedOrder[]) {
	const [one] = named;
	const pairs = named.map(({ id, tokenHash }) => [id, tokenHash]);
	const statement =
		one && named.length === 1 ? oneNamed(database, { ...one }) : allNamed(database, { pairs: JSON.stringify(pairs) });
	const rows = (await statement.raw()).map(readOrder);
	const found = new Map(rows.map((row) => [nameOf(row), row]));
	return named.map((each) => found.get(nameOf(each)) ?? null);
}

const nameOf = ({ id, tokenHash }: NamedOrder): string => `${id} ${tokenHash}`;

const oneNamed = builtOnce(() =>
	namedWhere(and(eq(orders.id, sql.placeholder('id')), eq(orders.tokenHash, sql.placeholder('tokenHash')))),
);

const allNamed = builtOnce(() =>
	namedWhere(
		sql`(${orders.id}, ${orders.tokenHash}) in
			(select value ->> 0, value ->> 1 from json_each(${sql.placeholder('pairs')}))`,
	),
);

function namedWhere(isNamed: SQL | undefined) {
	const isThere = and(isNamed, isNull(orders.deletedAt));
	return new QueryBuilder().select().from(orders).where(isThere);
}

/** The order of this Idempotency-Key, and the batches to look for it in if it is archived. */
export async function findByIdempotencyKey(db: Db, partnerId: string, key: string) {
	const isIt = and(eq(orders.partnerId, partnerId), eq(orders.idempotencyKey, key));
	return liveOrArchived(db, isIt, await idempotencyKeyOf(partnerId, key));
}

/** The same of a reference that its create asked to be unique. */
export async function findByReference(db: Db, partnerId: string, externalId: string) {
	// Literal, for the partial index.
	const isUnique = sql`${orders.externalIdUnique} = 1`;
	const isIt = and(eq(orders.partnerId, partnerId), eq(orders.externalId, externalId), isUnique);
	return liveOrArchived(db, isIt, await uniqueReferenceKey(partnerId, externalId));
}

async function liveOrArchived(db: Db, isIt: SQL | undefined, archiveKey: string) {
	const [rows, archivedIn] = await db.batch([db.select().from(orders).where(isIt), batchesWith(db, archiveKey)]);
	return { live: rows[0] ?? null, archivedIn };
}

/**
 * Persists the partner's choice; false when the order is not, or no longer, EMERGENCY, or when its refund is planned
 * (book: contract, "Orders"). One statement, so no race.
 */
export async function chooseExchange(db: Db, id: string, now: number): Promise<boolean> {
	// In the words of the partial index on what is planned or signed for an order.
	const isSentBack = sql`exists (select 1 from transactions
		where transactions.order_id = ${orders.id} and transactions.state in ('planned', 'signed'))`;
	const chosen = await db
		.update(orders)
		// Choosing again does not move the time: nobody waits for the price that suits them.
		.set({
			emergencyChoice: 'EXCHANGE',
			chosenAt: sql`coalesce(${orders.chosenAt}, ${now})`,
			...NO_REFUND_ASKED,
			updatedAt: now,
		})
		.where(and(eq(orders.id, id), eq(orders.status, 'EMERGENCY'), isNull(orders.deletedAt), not(isSentBack)))
		.returning({ id: orders.id });
	return chosen.length > 0;
}
