/**
 * Reads what D1 says of the payouts and refunds that are to be signed. Each claim is judged before anything is signed.
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { NOT_RAISED } from '../../catalog/confirmations.ts';
import { networkSettings } from '../../catalog/table.ts';
import { deposits, orders } from '../../orders/table.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { ledgerEntries } from '../../treasury/ledger/table.ts';
import { transactions } from '../../treasury/table.ts';
import { type Claim, isOrderPayment } from './judge.ts';

/** The payouts of these orders, without their refunds. */
export async function loadPayoutsOf(db: DrizzleD1Database, orderIds: readonly string[]): Promise<Claim[]> {
	const isOfThem = sql`${transactions.orderId} in ${inJson(orderIds)}`;
	const rows = await db
		.select({ id: transactions.id })
		.from(transactions)
		.where(and(isOfThem, eq(transactions.kind, 'payout')));
	return loadPayouts(
		db,
		rows.map(({ id }) => id),
	);
}

/** Leaves out transactions that are neither a payout nor a refund. */
export async function loadPayouts(db: DrizzleD1Database, payoutIds: readonly string[]): Promise<Claim[]> {
	const among = inJson(payoutIds);
	const orderIds = sql`(select order_id from transactions where id in ${among})`;
	const [payoutRows, orderRows, depositRows, shares, networks] = await db.batch([
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
		db.select().from(networkSettings),
	]);
	const orderById = new Map(orderRows.map((order) => [order.id, order]));
	const depositsByPayout = Map.groupBy(depositRows, ({ payoutId }) => payoutId);
	return payoutRows.filter(isOrderPayment).flatMap((payout): Claim[] => {
		const order = orderById.get(payout.orderId ?? '');
		if (!order) return [];
		const share = shares.find(({ orderId, asset }) => orderId === order.id && asset === order.toAsset);
		const claimed = depositsByPayout.get(payout.id) ?? [];
		const raised = networks.find(({ name }) => name === order.fromNetwork) ?? NOT_RAISED;
		return [{ payout, order, deposits: claimed, afftaxEntry: share?.amount ?? '0', raised }];
	});
}
