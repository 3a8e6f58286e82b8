/** Deposits in D1: what is on record, and what a poll changes of it. */
import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { NetworkName } from '../../catalog/networks.ts';
import type { ObservedDeposit } from '../../chains/port.ts';
import { type DepositRow, deposits, type OrderRow, orders } from '../../orders/table.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import type { Db } from '../../platform/d1/database.ts';
import { chunks, isIn } from '../../platform/d1/lists.ts';
import { pick } from '../../platform/pick.ts';

/** Most recorded deposits that one poll asks the chain about again. */
const RECHECK_LIMIT = 500;

/** A final deposit never changes. */
export const upsertDeposit = (db: Db, row: DepositRow): Statement =>
	db
		.insert(deposits)
		.values(row)
		.onConflictDoUpdate({
			target: [deposits.network, deposits.txId, deposits.position, deposits.address],
			// A reorganisation may bring back a dropped deposit with another amount.
			set: { state: row.state, amount: row.amount, dust: row.dust, lastSeenAt: row.lastSeenAt },
			setWhere: sql`${deposits.state} <> 'final'`,
		});

/** The fields that a poll needs of the order at an address. */
export type Awaiting = Pick<OrderRow, 'id' | 'fromAsset' | 'dustBelow' | 'dustCount' | 'watchUntil'>;

/** By pay-in address. */
export async function ordersAt(db: Db, network: NetworkName, addresses: readonly string[]) {
	const found = new Map<string, Awaiting>();
	for (const part of chunks(addresses)) {
		const rows = await db
			.select(pick(orders, 'id', 'payInAddress', 'fromAsset', 'dustBelow', 'dustCount', 'watchUntil'))
			.from(orders)
			.where(and(eq(orders.fromNetwork, network), isIn(orders.payInAddress, part)));
		for (const { payInAddress, ...order } of rows) found.set(payInAddress, order);
	}
	return found;
}

/** Rows with the ids of the observed transactions. */
export async function recordedAmong(db: Db, network: NetworkName, observed: readonly ObservedDeposit[]) {
	const rows: DepositRow[] = [];
	for (const part of chunks([...new Set(observed.map(({ txId }) => txId))])) {
		const isObserved = and(eq(deposits.network, network), isIn(deposits.txId, part));
		const found = await db.select().from(deposits).where(isObserved);
		rows.push(...found);
	}
	return rows;
}

/** Literal, for the partial index. */
const isOpen = sql`${deposits.state} <> 'final'`;

/** Seen and not final. */
export function openDeposits(db: Db, network: NetworkName): Promise<DepositRow[]> {
	return (
		db
			.select(fromIndex(getTableColumns(deposits)))
			.from(byIndex(deposits, 'deposits_open'))
			.where(and(eq(deposits.network, network), isOpen, eq(deposits.state, 'seen')))
			// In random order, so that each has its turn when there are more.
			.orderBy(sql`random()`)
			.limit(RECHECK_LIMIT)
	);
}

/** Dust deposits on record, by order. */
export async function dustCounts(db: Db, orderIds: readonly string[]): Promise<Map<string, number>> {
	const counts = new Map<string, number>();
	for (const part of chunks(orderIds)) {
		const rows = await db.select({ id: orders.id, dust: orders.dustCount }).from(orders).where(isIn(orders.id, part));
		for (const { id, dust } of rows) counts.set(id, dust);
	}
	return counts;
}
