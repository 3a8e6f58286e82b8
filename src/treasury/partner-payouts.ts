/**
 * Payouts of partners' earnings (decisions.md "Partner earnings"), paid by the operator from a wallet outside the
 * service: the signer signs only what a deposit proves, and no deposit proves these. So the wallets hold afterwards what
 * they held before, and that part of it is the operator's.
 *
 * planned → orders, amount and address are fixed, so that what is paid, booked and announced is the same, whatever is
 *   earned and whatever prices do in between.
 * paid → atomic: one batch names the transaction, balances the books and makes the webhook due.
 */
import { and, asc, desc, eq, isNull, notExists, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { orders } from '../orders/table.ts';
import { type NewWebhookEventRow, webhookEvents } from '../webhooks/table.ts';
import type { Earned } from './earnings.ts';
import { ledgerEntries, type PartnerPayoutRow, partnerPayoutOrders, partnerPayouts } from './table.ts';
import type { Statement } from './transition.ts';

/** Orders that one payout pays for, oldest first: their ids go to D1 as one parameter. The next payout takes the rest. */
const ORDERS_PER_PAYOUT = 10_000;
/** Payouts that are listed, newest first. */
const LIST_LIMIT = 100;

export interface EarnedOrder extends Earned {
	readonly orderId: string;
}

/** Orders whose earnings no payout pays for. Reads all of the partner's orders: for the operator, not for calls. */
export async function unpaidOrders(db: DrizzleD1Database, partnerId: string): Promise<EarnedOrder[]> {
	const claims = db
		.select({ one: sql`1` })
		.from(partnerPayoutOrders)
		.where(eq(partnerPayoutOrders.orderId, ledgerEntries.orderId));
	const rows = await db
		.select({ orderId: ledgerEntries.orderId, asset: ledgerEntries.asset, amount: ledgerEntries.amount })
		.from(orders)
		.innerJoin(ledgerEntries, and(eq(ledgerEntries.orderId, orders.id), isEarned))
		.where(and(eq(orders.partnerId, partnerId), notExists(claims)))
		.orderBy(asc(ledgerEntries.at), asc(ledgerEntries.orderId))
		.limit(ORDERS_PER_PAYOUT);
	return rows.map(({ orderId, asset, amount }) => ({ orderId, asset, amount: -BigInt(amount) }));
}

/** The entry by which an order's afftax was earned: one per order, in its destination asset, and a credit. */
const isEarned: SQL = sql`${ledgerEntries.cause} = 'paid' and ${ledgerEntries.account} = 'partner'`;

export const listPartnerPayouts = (db: DrizzleD1Database, partnerId: string): Promise<PartnerPayoutRow[]> =>
	db
		.select()
		.from(partnerPayouts)
		.where(eq(partnerPayouts.partnerId, partnerId))
		.orderBy(desc(partnerPayouts.plannedAt), partnerPayouts.id)
		.limit(LIST_LIMIT);

export async function findPartnerPayout(db: DrizzleD1Database, id: string): Promise<PartnerPayoutRow | null> {
	return (await db.select().from(partnerPayouts).where(eq(partnerPayouts.id, id)))[0] ?? null;
}

/** The one that waits to be paid; a partner has one at most. */
export async function plannedPayout(db: DrizzleD1Database, partnerId: string): Promise<PartnerPayoutRow | null> {
	const ofPartner = and(eq(partnerPayouts.partnerId, partnerId), isNull(partnerPayouts.txId));
	return (await db.select().from(partnerPayouts).where(ofPartner))[0] ?? null;
}

/** The payout, to whichever partner, that was booked with the transaction. */
export async function payoutPaidBy(db: DrizzleD1Database, txId: string): Promise<PartnerPayoutRow | null> {
	return (await db.select().from(partnerPayouts).where(eq(partnerPayouts.txId, txId)).limit(1))[0] ?? null;
}

/** Fails as a whole where the partner has a planned payout, or another payout has one of the orders. */
export const planStatements = (
	db: DrizzleD1Database,
	payout: PartnerPayoutRow,
	paidFor: readonly EarnedOrder[],
): Statement[] => [
	db.insert(partnerPayouts).values(payout),
	db
		.insert(partnerPayoutOrders)
		.select(sql`select value, ${payout.id} from json_each(${JSON.stringify(paidFor.map(({ orderId }) => orderId))})`),
];

/** Gives a planned payout up; one that was booked meanwhile stays as it is. */
export function withdrawStatements(db: DrizzleD1Database, payoutId: string): Statement[] {
	return [
		db.delete(partnerPayoutOrders).where(and(eq(partnerPayoutOrders.payoutId, payoutId), isPlanned(payoutId))),
		db.delete(partnerPayouts).where(and(eq(partnerPayouts.id, payoutId), isNull(partnerPayouts.txId))),
	];
}

export interface Booking {
	readonly payoutId: string;
	readonly txId: string;
	/** Null where the partner is not to be told. */
	readonly event: NewWebhookEventRow | null;
	/** Unix milliseconds. */
	readonly now: number;
}

/** Everything after the first statement is written only if that one, or nobody else before, has booked the payout. */
export function bookStatements(db: DrizzleD1Database, { payoutId, txId, event, now }: Booking): Statement[] {
	const statements: Statement[] = [
		db
			.update(partnerPayouts)
			.set({ txId, paidAt: now })
			.where(and(eq(partnerPayouts.id, payoutId), isNull(partnerPayouts.txId))),
		closing(db, { payoutId, txId, now }, 'partner', sql`ltrim(${ledgerEntries.amount}, '-')`),
		closing(db, { payoutId, txId, now }, 'partnerPaid', sql`${ledgerEntries.amount}`),
	];
	if (event) {
		const { id, partnerId, type, body } = event;
		statements.push(
			db.insert(webhookEvents).select(
				sql`select ${id}, ${partnerId}, null, null, ${type}, ${body}, 'due', 0, ${now}, ${now}
					where ${isBooked(payoutId, txId)}`,
			),
		);
	}
	return statements;
}

/** Holds while the payout waits to be paid. */
export const isPlanned = (payoutId: string): SQL =>
	sql`exists (select 1 from ${partnerPayouts} where ${partnerPayouts.id} = ${payoutId} and ${partnerPayouts.txId} is null)`;

/** Holds once the payout is booked with this transaction. */
export const isBooked = (payoutId: string, txId: string): SQL =>
	sql`exists (select 1 from ${partnerPayouts} where ${partnerPayouts.id} = ${payoutId} and ${partnerPayouts.txId} = ${txId})`;

/** One side of what closes the orders' earnings. Booked twice, it fails on the entries' key, and its batch with it. */
const closing = (
	db: DrizzleD1Database,
	{ payoutId, txId, now }: Omit<Booking, 'event'>,
	account: 'partner' | 'partnerPaid',
	amount: SQL,
): Statement =>
	db.insert(ledgerEntries).select(
		sql`select ${ledgerEntries.orderId}, ${`paid out ${payoutId}`}, ${account}, ${ledgerEntries.asset}, ${amount}, ${now}
			from ${partnerPayoutOrders} inner join ${ledgerEntries}
				on ${ledgerEntries.orderId} = ${partnerPayoutOrders.orderId} and ${isEarned}
			where ${partnerPayoutOrders.payoutId} = ${payoutId} and ${isBooked(payoutId, txId)}`,
	);
