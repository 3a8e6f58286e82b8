/**
 * The statements that plan, take back and book a payout of a partner's earnings, for one batch each. Each statement has
 * a condition: of two writers at the same time, one changes nothing or fails with its whole batch.
 */
import { and, eq, isNotNull, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { type NewWebhookEventRow, webhookEvents } from '../../webhooks/table.ts';
import { bookedAt } from '../ledger/store.ts';
import { ledgerEntries } from '../ledger/table.ts';
import { type TransactionRow, transactions } from '../table.ts';
import { insertPlanned } from '../transactions/store.ts';
import { type EarnedOrder, isEarned } from './store.ts';
import { type PartnerPayoutRow, partnerPayoutOrders, partnerPayouts } from './table.ts';

/** Fails as a whole where the partner has a planned payout, or another payout has one of the orders. */
export const planStatements = (db: Db, payout: PartnerPayoutRow, paidFor: readonly EarnedOrder[]): Statement[] => [
	db.insert(partnerPayouts).values(payout),
	db
		.insert(partnerPayoutOrders)
		.select(sql`select value, ${payout.id} from json_each(${JSON.stringify(paidFor.map(({ orderId }) => orderId))})`),
];

/** Plans the transaction by which the service pays what the same batch plans. */
export const payStatement = (
	db: Db,
	{ id, network, asset, address, amount, usdCents, plannedAt }: PartnerPayoutRow,
): Statement =>
	insertPlanned(db, { id, kind: 'earnings', network, asset, toAddress: address, amount, usdCents }, plannedAt);

/**
 * Removes the transaction of a payout that the signer has given up. The same batch books it as paid by hand, or takes
 * it back. A signed transaction stays; the later statements of the batch check for that.
 */
export const notPaidStatement = (db: Db, payoutId: string): Statement =>
	db
		.delete(transactions)
		.where(and(eq(transactions.id, payoutId), eq(transactions.kind, 'earnings'), eq(transactions.state, 'planned')));

/** Gives up a planned payout. One that was signed or booked meanwhile stays as it is. */
export function withdrawStatements(db: Db, payoutId: string): Statement[] {
	const isGivenUp = and(isPlanned(payoutId), isNotSigned(payoutId));
	return [
		notPaidStatement(db, payoutId),
		db.delete(partnerPayoutOrders).where(and(eq(partnerPayoutOrders.payoutId, payoutId), isGivenUp)),
		db.delete(partnerPayouts).where(and(eq(partnerPayouts.id, payoutId), isGivenUp)),
	];
}

export interface Booking {
	readonly payoutId: string;
	readonly txId: string;
	/** Must hold for it to be booked. For the operator: the service has not signed it. */
	readonly condition?: SQL;
	/** Null where the partner does not want it. */
	readonly event: NewWebhookEventRow | null;
	readonly now: number;
}

/** The statements after the first take effect only if the payout is now booked with this `txId`. */
export function bookStatements(db: Db, { payoutId, txId, condition, event, now }: Booking): Statement[] {
	const statements: Statement[] = [
		db
			.update(partnerPayouts)
			.set({ txId, paidAt: now })
			.where(and(eq(partnerPayouts.id, payoutId), isNull(partnerPayouts.txId), condition)),
		closing(db, { payoutId, txId, now }, 'partner', sql`ltrim(${ledgerEntries.amount}, '-')`),
		closing(db, { payoutId, txId, now }, 'partnerPaid', sql`${ledgerEntries.amount}`),
	];
	if (event) {
		const { id, partnerId, type, body } = event;
		statements.push(
			db.insert(webhookEvents).select(
				sql`select ${id}, ${partnerId}, null, null, ${type}, ${body}, 'due', 0, ${now}, ${now}, '', ''
					where ${isBooked(payoutId, txId)}`,
			),
		);
	}
	return statements;
}

/** Holds while the payout waits to be paid. */
export const isPlanned = (payoutId: string): SQL =>
	sql`exists (select 1 from ${partnerPayouts} where ${partnerPayouts.id} = ${payoutId} and ${partnerPayouts.txId} is null)`;

/** Holds while the service has not signed the payout. */
export const isNotSigned = (payoutId: string): SQL =>
	sql`not exists (select 1 from ${transactions} where ${transactions.id} = ${payoutId} and ${transactions.state} <> 'planned')`;

/** Holds once the payout is booked with this transaction. */
export const isBooked = (payoutId: string, txId: string): SQL =>
	sql`exists (select 1 from ${partnerPayouts} where ${partnerPayouts.id} = ${payoutId} and ${partnerPayouts.txId} = ${txId})`;

/** One of the two entries that close an order's earnings. Booked twice, the key of the entries makes the batch fail. */
const closing = (
	db: Db,
	{ payoutId, txId, now }: Pick<Booking, 'payoutId' | 'txId' | 'now'>,
	account: 'partner' | 'partnerPaid',
	amount: SQL,
): Statement =>
	db.insert(ledgerEntries).select(
		sql`select null, ${ledgerEntries.orderId}, ${`paid out ${payoutId}`}, ${account}, ${ledgerEntries.asset}, ${amount},
				${bookedAt(sql`${ledgerEntries.orderId}`, sql`${now}`)}
			from ${partnerPayoutOrders} inner join ${ledgerEntries}
				on ${ledgerEntries.orderId} = ${partnerPayoutOrders.orderId} and ${isEarned}
			where ${partnerPayoutOrders.payoutId} = ${payoutId} and ${isBooked(payoutId, txId)}`,
	);

/** Writes `txId` to the copy that the partner reads, if that has an id already. */
export const renameEarnings = (db: Db, { id }: Pick<TransactionRow, 'id'>, txId: string): Statement[] => {
	const isOther = and(isNotNull(partnerPayouts.txId), ne(partnerPayouts.txId, txId));
	const isOtherOfIt = and(eq(partnerPayouts.id, id), isOther);
	return [db.update(partnerPayouts).set({ txId }).where(isOtherOfIt)];
};
