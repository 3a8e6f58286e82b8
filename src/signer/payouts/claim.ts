/**
 * Reads what D1 says of the payouts and refunds that are to be signed. Each claim is judged before anything is signed.
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import { NOT_RAISED } from '../../catalog/confirmations.ts';
import { networkSettings } from '../../catalog/table.ts';
import { deposits, orders } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson, isIn } from '../../platform/d1/lists.ts';
import { ledgerEntries } from '../../treasury/ledger/table.ts';
import { transactions } from '../../treasury/table.ts';
import { type Claim, isOrderPayment } from './judge.ts';

/** The payouts of these orders, without their refunds. */
export async function loadPayoutsOf(db: Db, orderIds: readonly string[]): Promise<Claim[]> {
	const isPayout = and(isIn(transactions.orderId, orderIds), eq(transactions.kind, 'payout'));
	const rows = await db.select({ id: transactions.id }).from(transactions).where(isPayout);
	return loadPayouts(
		db,
		rows.map(({ id }) => id),
	);
}

/** Leaves out transactions that are neither a payout nor a refund. */
export async function loadPayouts(db: Db, payoutIds: readonly string[]): Promise<Claim[]> {
	const among = inJson(payoutIds);
	const orderIds = sql`(select order_id from transactions where id in ${among})`;
	const { orderId: ofOrder, asset: inAsset, amount, cause, account } = ledgerEntries;
	const isAsked = and(sql`${transactions.id} in ${among}`, inArray(transactions.kind, ['payout', 'refund']));
	const isClaimed = and(sql`${deposits.orderId} in ${orderIds}`, sql`${deposits.payoutId} in ${among}`);
	const isShare = and(sql`${ofOrder} in ${orderIds}`, eq(cause, 'settled'), eq(account, 'partnerPending'));
	const [payoutRows, orderRows, depositRows, shares, networks] = await db.batch([
		db.select().from(transactions).where(isAsked),
		db.select().from(orders).where(sql`${orders.id} in ${orderIds}`),
		db.select().from(deposits).where(isClaimed),
		db.select({ orderId: ofOrder, asset: inAsset, amount }).from(ledgerEntries).where(isShare),
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
