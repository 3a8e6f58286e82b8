/**
 * A payment of an order that no row accounts for: what stands in its way is given up, and it is planned. Where the signer's
 * journal has it (`restored paid`), because the database was set back to before it, it is planned again under the id with which
 * it was signed. So the signer answers with the same transaction, and all that follows is as it was the first time. Nothing new is
 * signed.
 *
 * Atomic: each batch. Where the service stops between two of them, the deposits wait for their refund, which the signer
 * refuses with the same advice.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import { writeAudit, writeAuditIf } from '../../audit/log.ts';
import { deposits, type OrderRow, orders } from '../../orders/table.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import type { JournalPayment } from '../../ports/copy.ts';
import { amountsOf, restatedEntries } from '../../treasury/ledger/entries.ts';
import { insertEntries } from '../../treasury/ledger/store.ts';
import { ledgerEntries } from '../../treasury/ledger/table.ts';
import { refusalText } from '../../treasury/signer-refusal.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { type FoundPayment, planFound, restate } from '../../treasury/transactions/found.ts';
import { askSigner, giveUpMoves, giveUpStatements } from '../../treasury/transactions/give-up.ts';
import { change, findTransaction, openTransactionOf, remove } from '../../treasury/transactions/store.ts';
import { wakeAgent } from '../asking.ts';
import { type Context, type Failure, fail, isFailure } from '../command.ts';
import { transactionLine } from '../orders/record.ts';
import { unconfirmed } from '../persons.ts';

/** Null where the journal has no such payment of this order. */
export async function bookFromJournal(context: Context, { orderId, named, txId, reason }: NamedPayment) {
	const { db, env } = context;
	const [order] = await db.select().from(orders).where(eq(orders.id, orderId));
	if (!order) return null;
	const signed = await env.SIGNER.signedFor(order.fromNetwork, order.payInAddress);
	const payment = signed.find((each) => each.txId === txId);
	if (!payment) return null;
	const open = named ?? (await openTransactionOf(db, orderId)) ?? null;
	if (open && open.state !== 'planned') return fail(409, `the ${open.kind} of this order is ${open.state}`);
	const problem = await putBack(context, order, { open, payment, reason });
	if (problem) return problem;
	await wakeAgent(context, payment.network);
	const row = await findTransaction(db, payment.payoutId);
	return row ? transactionLine(row) : fail(409, `order ${orderId} moved meanwhile: run it again`);
}

interface PutBack {
	readonly open: TransactionRow | null;
	readonly payment: JournalPayment;
	readonly reason: string;
}

async function putBack(context: Context, order: OrderRow, { open, payment, reason }: PutBack): Promise<Failure | null> {
	const { db, env } = context;
	const changes = { txId: payment.txId, reason, orderId: order.id, instead: open?.id ?? null };
	const audit = writeAudit(context, { command: 'restored paid', subject: payment.payoutId, changes });
	const isThere = await findTransaction(db, payment.payoutId);
	if (isThere) {
		await runBatch(db, [audit, ...(open ? [remove(db, open)] : []), ...claimsOf(db, payment, open)]);
		return null;
	}
	if (open?.kind === payment.kind) {
		const { amount = open.amount } = { amount: payment.amount ?? undefined };
		const renamed = change(db, open, { id: payment.payoutId, amount, earnedSeal: null });
		await runBatch(db, [audit, renamed, ...claimsOf(db, payment, open), ...(await shareOf(context, order, payment))]);
		await restate(db, env.askedKeys(), { ...open, id: payment.payoutId, amount }, amount);
		return null;
	}
	const { asset, amount } = payment;
	if (asset === null || amount === null) return fail(409, `what ${payment.txId} paid is not on record`);
	const inTheWay = open && (await giveWay(context, open, reason));
	if (inTheWay) return inTheWay;
	const row = await planned(context, order, { ...payment, asset, amount });
	if (isFailure(row)) return row;
	await runBatch(db, [audit]);
	return null;
}

/** The partner's share by the books: the signer pays the same. */
async function shareOf({ db, now }: Context, { id, toAsset }: OrderRow, { payoutId, afftax }: JournalPayment) {
	if (afftax === null) return [];
	const rows = await db
		.select()
		.from(ledgerEntries)
		.where(and(eq(ledgerEntries.orderId, id), eq(ledgerEntries.cause, 'settled'), eq(ledgerEntries.asset, toAsset)));
	return insertEntries(
		db,
		restatedEntries({ orderId: id, payoutId, to: toAsset }, amountsOf(rows), BigInt(afftax), now),
	);
}

/** The deposits are those that it was signed for; others that `open` paid for are free. */
function claimsOf(
	db: Context['db'],
	{ payoutId, deposits: claimed }: JournalPayment,
	open: TransactionRow | null,
): Statement[] {
	const refs = JSON.stringify(claimed.map(({ txId, position }) => [txId, position]));
	const isNamed = sql`exists (select 1 from json_each(${refs}) where value ->> 0 = ${deposits.txId}
		and value ->> 1 = ${deposits.position})`;
	const isThere = sql`exists (select 1 from ${transactions} where ${transactions.id} = ${payoutId})`;
	const wasOpen = open && and(eq(deposits.payoutId, open.id), isThere);
	const isClaimed = and(isNamed, eq(deposits.state, 'final'), isThere);
	return [
		...(wasOpen ? [db.update(deposits).set({ payoutId: null }).where(wasOpen)] : []),
		db.update(deposits).set({ payoutId }).where(isClaimed),
	];
}

/** A person's word about the payment of an order. */
export interface NamedPayment {
	readonly orderId: string;
	/** The planned row that they name; null where they name the order. */
	readonly named: TransactionRow | null;
	readonly txId: string;
	readonly reason: string;
}

export async function giveWay(context: Context, row: TransactionRow, reason: string): Promise<Failure | null> {
	const { env, db, now } = context;
	const asked = await unconfirmed(context, giveUpMoves(row));
	if (asked) return asked;
	const refused = await askSigner(env.SIGNER, row);
	if (refused) return fail(409, `transaction ${row.id} was not given up: ${refusalText(refused)}`);
	const changes = { reason, orderId: row.orderId, kind: row.kind, asset: row.asset, amount: row.amount };
	const audit = (isPlanned: SQL) =>
		writeAuditIf(context, { command: 'restored paid', subject: row.id, changes }, isPlanned);
	await runBatch(db, giveUpStatements(db, row, audit, now));
	return null;
}

/** The row of what was paid, which no row was planned for. */
export async function planned(
	context: Context,
	order: OrderRow,
	payment: FoundPayment,
): Promise<TransactionRow | Failure> {
	const { env, db, now } = context;
	const market = await objectNamed(env, env.RATE_BOOK, 'book').market();
	try {
		const outcome = await planFound(db, order, payment, { sealKeys: env.askedKeys(), market, now });
		return 'because' in outcome ? fail(409, `nothing was booked: ${outcome.because}`) : outcome.row;
	} catch (error) {
		logError('operator_lost_race', error, { orderId: order.id });
		return fail(409, `order ${order.id} moved meanwhile: run it again`);
	}
}
