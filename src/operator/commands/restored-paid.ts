/**
 * `restored paid`: books a payout, refund or withdrawal that was sent after the backup, or as the journal was lost. What was planned
 * meanwhile gives way to what was paid: another kind is given up, another amount becomes the amount that was paid, and
 * where nothing is planned the payment is.
 *
 * Then the signer records it, so that it never pays it again; then the row is signed, without bytes; then it is sent, with
 * all that follows. Atomic: each of these. After a crash in between the same command does the rest, and so does the next
 * poll (`transactions/broadcast.ts`).
 */
import { eq, sql } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { orders } from '../../orders/table.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import { wakeWebhooks } from '../../ports/wake.ts';
import { refusalText } from '../../treasury/signer-refusal.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { recordSent } from '../../treasury/transactions/effects.ts';
import { type FoundPayment, restate } from '../../treasury/transactions/found.ts';
import { KINDS } from '../../treasury/transactions/kinds.ts';
import { findTransaction, openTransactionOf, storeSigned } from '../../treasury/transactions/store.ts';
import { isOwnTransaction, replaceVersion } from '../../treasury/transactions/version-store.ts';
import { wakeAgent } from '../asking.ts';
import { type Context, type Failure, fail, isFailure, type RunOf } from '../command.ts';
import { transactionLine } from '../orders/record.ts';
import type { restored as topic } from '../topics/restored.ts';
import { bookFromJournal, giveWay, type NamedPayment, planned } from './journal-payment.ts';

export const paid: RunOf<typeof topic, 'paid'> = async (context, { id, txId, reason }) => {
	const { db } = context;
	const named = await findTransaction(db, id);
	if (named && isAdoptedAs(named, txId)) return send(context, named.id);
	const orderId = named ? named.orderId : id;
	if (named && mayHaveAnother(named, txId)) return anotherVersion(context, named, txId, reason);
	const isWithdrawal = named?.kind === 'withdrawal' && named.state === 'planned';
	if (named && !isWithdrawal && !isOrders(named))
		return fail(
			409,
			`transaction ${id} (${named.kind}) belongs to no order: ${BOOKED_BY[named.kind] ?? 'nothing books it'}`,
		);
	if (named?.txId === txId) return remember(context, named, txId, reason);
	if (named?.state === 'final') return fail(409, `transaction ${id} is final: the service knows it`);
	const fromJournal = await bookFromJournal(context, { orderId: orderId ?? '', named: named ?? null, txId, reason });
	if (fromJournal) return fromJournal;
	const known = await ownRow(db, orderId, txId);
	if (known) return remember(context, known, txId, reason);
	if (await isOwnTransaction(db, txId)) return fail(409, `${txId} is known already`);
	const row = isWithdrawal
		? named
		: await plannedFor(context, { orderId: orderId ?? '', named: named ?? null, txId, reason });
	return isFailure(row) ? row : adoptPlanned(context, row, txId, reason);
};

/** `row`: planned in the amount that was paid. */
export async function adoptPlanned(context: Context, row: TransactionRow, txId: string, reason: string) {
	const signed = storeSigned(context.db, row, { raw: '', txId }, context.now);
	return (await record(context, row, { txId, reason }, [signed])) ?? send(context, row.id);
}

interface Word {
	readonly txId: string;
	readonly reason: string;
	/** The transaction that it was taken for. */
	readonly instead?: string | null;
}

/** First in the signer's journal. Atomic: then the statements and the audit line are one batch. Null where that is done. */
async function record(
	context: Context,
	row: TransactionRow,
	{ txId, reason, ...more }: Word,
	statements: readonly Statement[],
): Promise<Failure | null> {
	const refused = await context.env.SIGNER.adopt(row.network, row.id, txId);
	if (refused) return fail(409, `nothing was booked: ${refusalText(refused)}`);
	const changes = { txId, reason, orderId: row.orderId, ...more };
	const audit = writeAudit(context, { command: 'restored paid', subject: row.id, changes });
	await runBatch(context.db, [audit, ...statements]);
	return null;
}

/** Has this command, or the poll after it, recorded it already? Only then is a signed row without bytes. */
const isAdoptedAs = (row: TransactionRow, txId: string): boolean => row.raw === '' && row.txId === txId;

/** Was it sent before, and not as this one? A move between our own wallets is nobody's payment. */
const mayHaveAnother = ({ kind, state, txId: known }: TransactionRow, txId: string): boolean =>
	(state === 'signed' || state === 'sent') && known !== txId && !KINDS[kind].isInternal;

const BOOKED_BY: Readonly<Record<string, string>> = {
	earnings: 'book it with earnings pay-out --tx-id',
	stray: 'book it with order return-stray --tx-id',
};

const isOrders = ({ kind }: TransactionRow): boolean => kind === 'payout' || kind === 'refund';

/** The order's row that has it: what signed it is a journal that was lost. */
async function ownRow(db: Context['db'], orderId: string | null, txId: string): Promise<TransactionRow | undefined> {
	const isIt = sql`${transactions.orderId} = ${orderId} and ${transactions.txId} = ${txId}`;
	const sent = await db.select().from(transactions).where(isIt);
	return sent.find((row) => isOrders(row) && row.state !== 'planned');
}

/** D1 has it, and the journal of the signer learns it: so the order waits for nobody because of it any more. */
const remember = async (context: Context, row: TransactionRow, txId: string, reason: string) =>
	(await record(context, row, { txId, reason }, [])) ?? transactionLine(row);

async function send({ env, db, now }: Context, id: string) {
	const signed = await findTransaction(db, id);
	if (signed?.state === 'signed') await wakeWebhooks(env.WEBHOOKS, await recordSent(db, [signed], now, 0));
	const stored = await findTransaction(db, id);
	return stored && stored.state !== 'planned' && stored.state !== 'signed'
		? transactionLine(stored)
		: fail(503, `transaction ${id} is recorded and not booked yet: run it again`);
}

/**
 * The service knows an earlier version of it. The signer records the later one, then the row has it, and is followed as all
 * are. Atomic: each of these. After a crash in between the same command does the rest.
 */
async function anotherVersion(context: Context, row: TransactionRow, txId: string, reason: string) {
	const { db, now } = context;
	const replaced = replaceVersion(db, row, { raw: '', txId }, now);
	const refused = await record(context, row, { txId, reason, instead: row.txId }, replaced);
	if (refused) return refused;
	await wakeAgent(context, row.network);
	const stored = await findTransaction(db, row.id);
	return stored?.txId === txId
		? transactionLine(stored)
		: fail(409, `transaction ${row.id} moved meanwhile: run it again`);
}

async function plannedFor(
	context: Context,
	{ orderId, named, txId, reason }: NamedPayment,
): Promise<TransactionRow | Failure> {
	const { env, db } = context;
	const [order] = await db.select().from(orders).where(eq(orders.id, orderId));
	if (!order) return fail(404, `there is no order or transaction ${orderId}`);
	const [looked] = await env.SIGNER.lookFor([orderId]);
	const payment = looked?.payments.find((found) => found.txId === txId);
	const open = named ?? (await openTransactionOf(db, orderId)) ?? null;
	if (open && open.state !== 'planned') return fail(409, `the ${open.kind} of this order is ${open.state}`);
	// Where the chain cannot tell, or the signer has recorded it before, it is what is planned.
	if (!payment) return open ?? fail(409, `nothing is planned for order ${orderId}, and no node shows ${txId} for it`);
	if (open?.kind === payment.kind) return restated(context, open, payment);
	if (open) {
		const problem = await giveWay(context, open, reason);
		if (problem) return problem;
	}
	return planned(context, order, payment);
}

/** The row is for what was paid, in whatever amount. */
async function restated({ env, db }: Context, row: TransactionRow, { amount }: FoundPayment) {
	if (row.amount === amount) return row;
	await restate(db, env.askedKeys(), row, amount);
	return (await findTransaction(db, row.id)) ?? fail(409, `transaction ${row.id} changed meanwhile: run it again`);
}
