/**
 * The table of transactions. An update has the state in which its row was read as its condition, so it changes no row
 * that has moved on since. Conditions of partial indexes are literal: SQLite uses such an index only where the query
 * repeats them.
 */
import { and, eq, lte, type SQL, sql } from 'drizzle-orm';
import type { NetworkName } from '../../catalog/networks.ts';
import { runInBatches, type Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { isIn } from '../../platform/d1/lists.ts';
import type { Signed } from '../../ports/signer.ts';
import { type TransactionKind, type TransactionRow, transactions } from '../table.ts';
import { kindsWhere } from './kinds.ts';
import {
	blockedColumns,
	isSameReason,
	NOT_WAITING,
	type StopReason,
	waitingColumns,
	waitingReason,
} from './stop-reason.ts';
import { isLetThrough } from './wait-reason.ts';

/** Most transactions of one state that one poll takes. */
const PER_POLL = 100;

/** The columns that a plan fixes; `amount` in base units. */
export type PlannedTransaction = Omit<
	typeof transactions.$inferInsert,
	'state' | 'plannedAt' | 'nextAttemptAt' | 'raw' | 'txId' | 'signedAt' | 'sentAt' | 'finalAt' | 'settledTxId'
>;

/** A new transaction, due at once. */
export const insertPlanned = (db: Db, planned: PlannedTransaction, plannedAt: number) =>
	db.insert(transactions).values({ ...planned, state: 'planned', plannedAt, nextAttemptAt: plannedAt });

export async function findTransaction(db: Db, id: string): Promise<TransactionRow | undefined> {
	return (await db.select().from(transactions).where(eq(transactions.id, id)))[0];
}

const isOpen = sql`${transactions.state} <> 'final'`;

/** In most polls this is the only query. */
export async function isAnyOpen(db: Db, network: NetworkName): Promise<boolean> {
	const isOfIt = and(eq(transactions.network, network), isOpen);
	return (await db.select({ id: transactions.id }).from(transactions).where(isOfIt).limit(1)).length > 0;
}

const isNotOwed = sql`${transactions.kind} in (${sql.raw(
	kindsWhere(({ isOwed }) => !isOwed)
		.map((kind) => `'${kind}'`)
		.join(', '),
)})`;

interface Due {
	readonly db: Db;
	readonly network: NetworkName;
	readonly now: number;
}

/** First what is owed, then what was due first. Leaves out what a switch of the operator stops. */
export async function dueTransactions({ db, network, now }: Due, state: 'planned' | 'sent'): Promise<TransactionRow[]> {
	const { nextAttemptAt } = transactions;
	const isOf = and(eq(transactions.network, network), isOpen, eq(transactions.state, state));
	const isDue = and(isOf, lte(nextAttemptAt, now), isLetThrough);
	return db.select().from(transactions).where(isDue).orderBy(isNotOwed, nextAttemptAt).limit(PER_POLL);
}

/** Signed and not sent yet, due or not, in the order of signing. */
export async function signedTransactions(db: Db, network: NetworkName, which: SQL) {
	const isIt = and(eq(transactions.network, network), isOpen, eq(transactions.state, 'signed'), which);
	return db.select().from(transactions).where(isIt).orderBy(transactions.signedAt).limit(PER_POLL);
}

export const isOfKinds = (kinds: readonly TransactionKind[]): SQL => isIn(transactions.kind, kinds);

/** Changes a row that is still in the state in which it was read. `only`: and for which this holds. */
export const change = (
	db: Db,
	{ id, state }: Pick<TransactionRow, 'id' | 'state'>,
	set: Partial<TransactionRow>,
	only?: SQL,
): Statement =>
	db
		.update(transactions)
		.set(set)
		.where(and(isAsRead(id, state), only));

const isAsRead = (id: string, state: TransactionRow['state']) =>
	and(eq(transactions.id, id), eq(transactions.state, state));

/** The reason why it waits is as it was read: nobody has written since. */
export const waitsAsRead = ({ waitsFacts }: TransactionRow): SQL =>
	sql`${transactions.waitsFacts} is ${waitsFacts === null ? null : JSON.stringify(waitsFacts)}`;

/**
 * Stores the signed transaction: from here on only this one is ever broadcast. `signedAt`: Unix milliseconds, later for
 * each transaction of one signing, so that the column keeps the order of signing.
 */
export const storeSigned = (
	db: Db,
	{ id }: TransactionRow,
	{ raw, txId, amount }: Signed,
	signedAt: number,
): Statement =>
	change(
		db,
		{ id, state: 'planned' },
		{
			state: 'signed',
			raw,
			txId,
			signedAt,
			attempts: 0,
			nextAttemptAt: signedAt,
			...blockedColumns(null),
			...NOT_WAITING,
			...(amount !== undefined && { amount: amount.toString() }),
		},
	);

/** `firstPoll`: milliseconds until the chain is first queried for it. */
export const storeSent = (db: Db, { id }: TransactionRow, now: number, firstPoll: number): Statement =>
	change(
		db,
		{ id, state: 'signed' },
		{
			state: 'sent',
			sentAt: now,
			attempts: 0,
			nextAttemptAt: now + firstPoll,
			fee: null,
			finalAt: null,
			...blockedColumns(null),
			...NOT_WAITING,
		},
	);

/** Stores why rows wait and changes nothing else. Writes only rows whose reason is new. */
export async function noteWaiting(db: Db, rows: readonly TransactionRow[], reason: StopReason, now: number) {
	const changed = rows.filter((row) => !isSameReason(waitingReason(row), reason));
	await runInBatches(
		db,
		changed.map((row) => change(db, row, waitingColumns(row, reason, now))),
	);
}

/** Did another transaction take its coins or its nonce, as stored now? */
export async function isTaken(db: Db, id: string): Promise<boolean> {
	const row = await findTransaction(db, id);
	const waits = row?.waitsKind;
	return row?.blockedKind === 'taken' || waits === 'taken-by' || waits === 'overtaken' || row?.state === 'final';
}

/** Deletes a row that is still in the state in which it was read. */
export const remove = (db: Db, { id, state }: Pick<TransactionRow, 'id' | 'state'>): Statement =>
	db.delete(transactions).where(isAsRead(id, state));

/** Holds while the transaction is planned. */
export const isPlanned = ({ id }: Pick<TransactionRow, 'id'>): SQL =>
	sql`exists (select 1 from ${transactions} where ${transactions.id} = ${id} and ${transactions.state} = 'planned')`;

/**
 * Ends a row that the operator has paid by hand. If the row has changed since it was read, the state becomes null,
 * which the column refuses, so the whole batch fails.
 */
export function closeSettled(db: Db, row: TransactionRow, txId: string, now: number): Statement {
	const isSame = sql`${transactions.state} = ${row.state} and ${transactions.blockedKind} = ${row.blockedKind}`;
	return db
		.update(transactions)
		.set({
			state: sql`case when ${isSame} then 'final' end`,
			...blockedColumns(null),
			...NOT_WAITING,
			settledTxId: txId,
			fee: row.fee ?? '0',
			sentAt: row.sentAt ?? now,
			finalAt: row.finalAt ?? now,
		})
		.where(eq(transactions.id, row.id));
}

/** The planned or signed transaction of an order, which has one at a time. */
export async function openTransactionOf(db: Db, orderId: string): Promise<TransactionRow | undefined> {
	const isOfIt = and(eq(transactions.orderId, orderId), sql`${transactions.state} in ('planned', 'signed')`);
	return (await db.select().from(transactions).where(isOfIt))[0];
}
