/**
 * Payouts of partners' earnings in D1. A payout that the service makes has a transaction of the same id, which takes
 * the path of all transactions (`transactions/advance.ts`). One that the operator paid from another wallet has none.
 *
 * planned → orders, amount and address are fixed. Exactly that is paid, booked and announced, whatever is earned and
 * however prices move in between. The house bears the network fee. paid → atomic: one batch stores the transaction's
 * id, balances the books and makes the webhook due.
 */
import { and, asc, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { partners } from '../../partners/table.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { ledgerEntries } from '../ledger/table.ts';
import { type TransactionRow, transactions } from '../table.ts';
import type { Earned } from './conversion.ts';
import { type PartnerPayoutRow, partnerPayoutOrders, partnerPayouts, unpaidEarnings } from './table.ts';

/**
 * Most orders that one payout pays for, oldest first: their ids are one parameter of D1. The next payout takes the
 * rest.
 */
export const ORDERS_PER_PAYOUT = 10_000;
/** Most payouts in a list, newest first. */
const LIST_LIMIT = 100;

export interface EarnedOrder extends Earned {
	readonly orderId: string;
}

/** The entry by which an order's afftax was earned: one per order, in its destination asset, and a credit. */
export const isEarned: SQL = sql`${ledgerEntries.cause} = 'paid' and ${ledgerEntries.account} = 'partner'`;

/** Orders whose earnings no payout pays for, the oldest first. */
export async function unpaidOrders(db: Db, partnerId: string): Promise<EarnedOrder[]> {
	const rows = await db
		.select(fromIndex({ orderId: ledgerEntries.orderId, asset: ledgerEntries.asset, amount: ledgerEntries.amount }))
		.from(byIndex(unpaidEarnings, 'unpaid_earnings_by_partner'))
		.innerJoin(ledgerEntries, and(eq(ledgerEntries.orderId, unpaidEarnings.orderId), isEarned))
		.where(eq(unpaidEarnings.partnerId, partnerId))
		.orderBy(asc(unpaidEarnings.at), asc(unpaidEarnings.orderId))
		.limit(ORDERS_PER_PAYOUT);
	return rows.map(({ orderId, asset, amount }) => ({ orderId, asset, amount: -BigInt(amount) }));
}

/** `own`: the transaction by which the service pays; null where the operator pays by hand. */
export interface PartnerPayout {
	readonly plan: PartnerPayoutRow;
	readonly own: TransactionRow | null;
}

export async function listPartnerPayouts(db: Db, partnerId: string): Promise<PartnerPayout[]> {
	const plans = await db
		.select()
		.from(partnerPayouts)
		.where(eq(partnerPayouts.partnerId, partnerId))
		.orderBy(desc(partnerPayouts.plannedAt), partnerPayouts.id)
		.limit(LIST_LIMIT);
	return withOwn(db, plans);
}

export async function findPartnerPayout(db: Db, id: string): Promise<PartnerPayout | null> {
	return (await withOwn(db, await db.select().from(partnerPayouts).where(eq(partnerPayouts.id, id))))[0] ?? null;
}

/** The payout that waits to be paid; a partner has at most one. */
export async function plannedPayout(db: Db, partnerId: string): Promise<PartnerPayout | null> {
	const ofPartner = and(eq(partnerPayouts.partnerId, partnerId), isNull(partnerPayouts.txId));
	return (await withOwn(db, await db.select().from(partnerPayouts).where(ofPartner)))[0] ?? null;
}

async function withOwn(db: Db, plans: readonly PartnerPayoutRow[]): Promise<PartnerPayout[]> {
	const ids = inJson(plans.map(({ id }) => id));
	const rows = await db.select().from(transactions).where(sql`${transactions.id} in ${ids}`);
	return plans.map((plan) => ({ plan, own: rows.find(({ id }) => id === plan.id) ?? null }));
}

/** The payout, of any partner, that was booked with the transaction. */
export async function payoutPaidBy(db: Db, txId: string): Promise<PartnerPayoutRow | null> {
	return (await db.select().from(partnerPayouts).where(eq(partnerPayouts.txId, txId)).limit(1))[0] ?? null;
}

/** Orders that a payout pays for. */
export async function paidOrderIds(db: Db, payoutId: string): Promise<string[]> {
	const rows = await db
		.select({ orderId: partnerPayoutOrders.orderId })
		.from(partnerPayoutOrders)
		.where(eq(partnerPayoutOrders.payoutId, payoutId))
		.limit(ORDERS_PER_PAYOUT);
	return rows.map(({ orderId }) => orderId);
}

/** The payout and its partner, for the webhook; null where one is missing. */
export async function payoutWithPartner(db: Db, id: string) {
	const [found] = await db
		.select({ plan: partnerPayouts, partner: partners })
		.from(partnerPayouts)
		.innerJoin(partners, eq(partners.id, partnerPayouts.partnerId))
		.where(eq(partnerPayouts.id, id));
	return found ?? null;
}
