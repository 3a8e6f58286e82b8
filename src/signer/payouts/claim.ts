/** What D1 says of the payouts that are to be signed: claims, each judged before anything is signed. */
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { deposits, orders } from '../../orders/table.ts';
import { ledgerEntries } from '../../treasury/ledger/table.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { isMovementRow, type MovementRow } from '../sweeps/judge.ts';
import type { Claim } from './judge.ts';

/** By payout id; what is neither the payout nor a refund of an order is absent. */
export async function loadClaims(db: DrizzleD1Database, payoutIds: readonly string[]): Promise<Map<string, Claim>> {
	const among = sql`(select value from json_each(${JSON.stringify(payoutIds)}))`;
	const orderIds = sql`(select order_id from transactions where id in ${among})`;
	const [payoutRows, orderRows, depositRows, shares] = await db.batch([
		db
			.select()
			.from(transactions)
			.where(and(sql`${transactions.id} in ${among}`, inArray(transactions.kind, ['payout', 'refund']))),
		db.select().from(orders).where(sql`${orders.id} in ${orderIds}`),
		db
			.select()
			.from(deposits)
			.where(and(sql`${deposits.orderId} in ${orderIds}`, sql`${deposits.payoutId} in ${among}`)),
		db
			.select({ orderId: ledgerEntries.orderId, asset: ledgerEntries.asset, amount: ledgerEntries.amount })
			.from(ledgerEntries)
			.where(
				and(
					sql`${ledgerEntries.orderId} in ${orderIds}`,
					eq(ledgerEntries.cause, 'settled'),
					eq(ledgerEntries.account, 'partnerPending'),
				),
			),
	]);
	const orderById = new Map(orderRows.map((order) => [order.id, order]));
	const depositsByPayout = Map.groupBy(depositRows, ({ payoutId }) => payoutId);
	return new Map(
		payoutRows.flatMap((payout): [string, Claim][] => {
			const order = orderById.get(payout.orderId ?? '');
			if (!order) return [];
			const share = shares.find(({ orderId, asset }) => orderId === order.id && asset === order.toAsset);
			const claimed = depositsByPayout.get(payout.id) ?? [];
			return [[payout.id, { payout, order, deposits: claimed, afftaxEntry: share?.amount ?? '0' }]];
		}),
	);
}

/** By id: the joining of small outputs. */
export async function loadConsolidations(
	db: DrizzleD1Database,
	payoutIds: readonly string[],
): Promise<Map<string, TransactionRow>> {
	const among = sql`(select value from json_each(${JSON.stringify(payoutIds)}))`;
	const rows = await db
		.select()
		.from(transactions)
		.where(sql`${transactions.id} in ${among} and ${transactions.kind} = 'consolidation'`);
	return new Map(rows.map((row) => [row.id, row]));
}

/** By id: gas and sweeps, which belong to no order. */
export async function loadMovements(
	db: DrizzleD1Database,
	payoutIds: readonly string[],
): Promise<Map<string, MovementRow>> {
	const among = sql`(select value from json_each(${JSON.stringify(payoutIds)}))`;
	const rows = await db
		.select()
		.from(transactions)
		.where(sql`${transactions.id} in ${among} and ${transactions.kind} in ('gas', 'sweep')`);
	return new Map(rows.filter(isMovementRow).map((row) => [row.id, row]));
}
