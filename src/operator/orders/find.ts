/**
 * Finds orders by what is known of them from outside (`order find`): the beginning of an id, an address, the partner's
 * own reference, or the id of a transaction. Each search is one index's, and the newest orders of an address come first.
 */
import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { deposits, orders } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { pick } from '../../platform/pick.ts';
import { transactions, transactionVersions } from '../../treasury/table.ts';
import { inOneCase } from '../input.ts';

/** An order, and by what it was found: `recipient`, `deposit`. */
export interface Found {
	readonly id: string;
	readonly by: string;
}

export interface OrderlessTransaction {
	readonly id: string;
	readonly kind: string;
}

const BEGINNING = /^[0-9a-f][0-9a-f-]{3,35}$/;

/** Every id that has a beginning is below the beginning with `~`. Of another text the range is empty: nothing is read. */
const begins = (id: unknown, lower: string): SQL =>
	sql`${id} >= ${lower} and ${id} < ${BEGINNING.test(lower) ? `${lower}~` : lower}`;

const networks = inJson(NETWORK_NAMES);
/** So that an index that begins with the network serves the search. */
const onAnyNetwork = (column: unknown): SQL => sql`${column} in ${networks}`;

/** At most `limit` of each kind. */
export async function findByText(
	db: Db,
	text: string,
	limit: number,
): Promise<{ readonly orders: readonly Found[]; readonly orderless: readonly OrderlessTransaction[] }> {
	const [byOrder, ours] = await Promise.all([
		ordersNamed(db, text, limit),
		db.batch([transactionsNamed(db, text, limit), versionsNamed(db, text, limit)]),
	]);
	const byTransaction = ours
		.flat()
		.map(({ id, kind, orderId, sweptOrderId }) => ({ id, kind, order: orderId ?? sweptOrderId }));
	const found = [
		...byOrder,
		...byTransaction.flatMap(({ order, kind }) => (order === null ? [] : [{ id: order, by: kind }])),
	];
	return {
		orders: found.filter(({ id }, i) => found.findIndex((other) => other.id === id) === i),
		orderless: byTransaction.filter(({ order }) => order === null),
	};
}

async function ordersNamed(db: Db, text: string, limit: number): Promise<Found[]> {
	const lower = text.toLowerCase();
	const where = (by: string, condition: SQL | undefined) =>
		db
			.select({ id: orders.id, by: sql<string>`${by}` })
			.from(orders)
			.where(condition)
			.orderBy(desc(orders.createdAt))
			.limit(limit);
	const isPaidIn = sql`${onAnyNetwork(orders.fromNetwork)} and ${orders.payInAddress} in (${text}, ${lower})`;
	// The words of the index `orders_hexadecimal_pay_in`.
	const isHex = sql`lower(${orders.payInAddress}) = ${lower} and substr(${orders.payInAddress}, 1, 2) = '0x'`;
	const brought = and(onAnyNetwork(deposits.network), eq(deposits.txId, inOneCase(text)));
	const rows = await db.batch([
		where('id', begins(orders.id, lower)),
		where('deposit address', isPaidIn),
		where('deposit address', isHex),
		where('recipient', sql`lower(${orders.toAddress}) = ${lower}`),
		where('refund address', sql`lower(${orders.refundAddress}) = ${lower}`),
		where('partner’s reference', eq(orders.externalId, text)),
		db.select({ id: deposits.orderId, by: sql<string>`'deposit'` }).from(deposits).where(brought).limit(limit),
	]);
	return rows.flat();
}

/**
 * A sweep belongs to no order; the order of its pay-in address is found for it. Its columns are named with their tables
 * by hand: Drizzle names none in a query of one table, and both tables have a `pay_in_address`.
 */
const OURS = {
	...pick(transactions, 'id', 'kind', 'orderId'),
	sweptOrderId: sql<string | null>`(
		select orders.id from orders
		where orders.from_network = transactions.network and orders.pay_in_address = transactions.pay_in_address
	)`,
};

/** By our own id, by the chain's, or by that of the transaction which an operator made instead. */
function transactionsNamed(db: Db, text: string, limit: number) {
	const isNamed = sql`(${begins(transactions.id, text.toLowerCase())})`;
	const txId = inOneCase(text);
	return db
		.select(OURS)
		.from(transactions)
		.where(
			sql`${isNamed} or (${onAnyNetwork(transactions.network)} and ${transactions.txId} = ${txId}) or ${transactions.settledTxId} = ${txId}`,
		)
		.limit(limit);
}

const versionsNamed = (db: Db, text: string, limit: number) =>
	db
		.select(OURS)
		.from(transactionVersions)
		.innerJoin(transactions, eq(transactions.id, transactionVersions.transactionId))
		.where(eq(transactionVersions.txId, inOneCase(text)))
		.limit(limit);
