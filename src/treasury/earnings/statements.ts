/**
 * The statements that plan, take back and book a payout of a partner's earnings, for one batch each. Each statement has its
 * condition: of two writers at the same time, one changes nothing or fails with its whole batch.
 */
import { and, eq, isNotNull, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Statement } from '../../d1/batches.ts';
import { type NewWebhookEventRow, webhookEvents } from '../../webhooks/table.ts';
import { ledgerEntries } from '../ledger/table.ts';
import { type TransactionRow, transactions } from '../table.ts';
import { insertPlanned } from '../transactions/store.ts';
import { type EarnedOrder, isEarned } from './store.ts';
import { type PartnerPayoutRow, partnerPayoutOrders, partnerPayouts } from './table.ts';

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

/** Has the service pay what is planned in the same batch. */
export const payStatement = (
	db: DrizzleD1Database,
	{ id, network, asset, address, amount, usdCents, plannedAt }: PartnerPayoutRow,
): Statement =>
	insertPlanned(db, { id, kind: 'earnings', network, asset, toAddress: address, amount, usdCents }, plannedAt);

/**
 * The service does not make the payout, which the signer has given up: it is paid by hand, or withdrawn, in the same
 * batch. What is signed stays, and what follows in the batch asks for that.
 */
export const notPaidStatement = (db: DrizzleD1Database, payoutId: string): Statement =>
	db
		.delete(transactions)
		.where(and(eq(transactions.id, payoutId), eq(transactions.kind, 'earnings'), eq(transactions.state, 'planned')));

/** Gives a planned payout up; one that was signed or booked meanwhile stays as it is. */
export function withdrawStatements(db: DrizzleD1Database, payoutId: string): Statement[] {
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
	/** May it be booked? False of what the service itself has signed, when the operator would book it. */
	readonly condition?: SQL;
	/** Null where the partner does not want it. */
	readonly event: NewWebhookEventRow | null;
	/** Unix milliseconds. */
	readonly now: number;
}

/** Everything after the first statement is written only if that one, or nobody else before, has booked the payout. */
export function bookStatements(db: DrizzleD1Database, { payoutId, txId, condition, event, now }: Booking): Statement[] {
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

/** Holds while the service has not signed the payout. */
export const isNotSigned = (payoutId: string): SQL =>
	sql`not exists (select 1 from ${transactions} where ${transactions.id} = ${payoutId} and ${transactions.state} <> 'planned')`;

/** Holds once the payout is booked with this transaction. */
export const isBooked = (payoutId: string, txId: string): SQL =>
	sql`exists (select 1 from ${partnerPayouts} where ${partnerPayouts.id} = ${payoutId} and ${partnerPayouts.txId} = ${txId})`;

/** One side of what closes the orders' earnings. Booked twice, it fails on the entries' key, and its batch with it. */
const closing = (
	db: DrizzleD1Database,
	{ payoutId, txId, now }: Pick<Booking, 'payoutId' | 'txId' | 'now'>,
	account: 'partner' | 'partnerPaid',
	amount: SQL,
): Statement =>
	db.insert(ledgerEntries).select(
		sql`select ${ledgerEntries.orderId}, ${`paid out ${payoutId}`}, ${account}, ${ledgerEntries.asset}, ${amount}, ${now}
			from ${partnerPayoutOrders} inner join ${ledgerEntries}
				on ${ledgerEntries.orderId} = ${partnerPayoutOrders.orderId} and ${isEarned}
			where ${partnerPayoutOrders.payoutId} = ${payoutId} and ${isBooked(payoutId, txId)}`,
	);

/** Gives `txId` to the copy that the partner reads, where it has one already. */
export const renameEarnings = (
	db: DrizzleD1Database,
	{ id }: Pick<TransactionRow, 'id'>,
	txId: string,
): Statement[] => {
	const isOther = and(isNotNull(partnerPayouts.txId), ne(partnerPayouts.txId, txId));
	return [
		db
			.update(partnerPayouts)
			.set({ txId })
			.where(and(eq(partnerPayouts.id, id), isOther)),
	];
};
