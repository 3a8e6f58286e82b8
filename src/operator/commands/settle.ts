/** `payout list` and `payout show`; `payout settle`: closes a transaction that can no longer arrive and that was paid by hand. */
import { and, asc, desc, eq, gte, lt, sql } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { explorerOf } from '../../chains/explorer.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import { isoTime } from '../../platform/time.ts';
import { wakeWebhooks } from '../../ports/wake.ts';
import { refusalText } from '../../treasury/signer-refusal.ts';
import { type TransactionRow, transactions, transactionVersions } from '../../treasury/table.ts';
import { isDead } from '../../treasury/transactions/blocked.ts';
import { KINDS } from '../../treasury/transactions/kinds.ts';
import { settleByHand } from '../../treasury/transactions/settle-by-hand.ts';
import { findTransaction } from '../../treasury/transactions/store.ts';
import { isOwnTransaction, newestOf, replacedVersions } from '../../treasury/transactions/version-store.ts';
import { type Context, type Failure, fail, type RunOf, type RunsOf } from '../command.ts';
import { isOwn } from '../orders/doubted.ts';
import { transactionLine, transactionRecord, waitsOf } from '../orders/record.ts';
import { currentSettings } from '../settings/changes.ts';
import { momentOf } from '../topics/moment.ts';
import type { payout as topic } from '../topics/payout.ts';
import { givePayoutUp, nameOvertaker } from './give-up.ts';

const settlePayout: RunOf<typeof topic, 'settle'> = async (context, input) => {
	const { db, env, now } = context;
	const transaction = await findTransaction(db, input.id);
	if (!transaction) return fail(404, `there is no transaction ${input.id}`);
	if (KINDS[transaction.kind].isInternal)
		return fail(409, `transaction ${transaction.id} moves coins between wallets of our own: nobody is owed it`);
	if (transaction.settledTxId !== null)
		return fail(409, `transaction ${transaction.id} is settled already, by ${transaction.settledTxId}`);
	if (!isDead(transaction))
		return fail(409, `transaction ${transaction.id} may still arrive: the service sends it itself`);
	if (await isOwnTransaction(db, input.txId))
		return fail(409, `transaction ${input.txId} is one that the service made itself`);
	const problem = (await arrived(env, db, transaction)) ?? (await forgotten(env, transaction));
	if (problem) return problem;
	const changes = { txId: input.txId, instead: transaction.txId, reason: input.reason };
	const audit = writeAudit(context, { command: 'payout settle', subject: transaction.id, changes });
	let eventIds: readonly string[];
	try {
		eventIds = await settleByHand(db, transaction, { txId: input.txId, now, also: [audit] });
	} catch (error) {
		logError('payout_not_settled', error, { payoutId: transaction.id });
		return fail(409, `transaction ${transaction.id} changed meanwhile; check it with order show`);
	}
	await wakeWebhooks(env.WEBHOOKS, eventIds);
	const settled = (await findTransaction(db, input.id)) ?? transaction;
	return { ...transactionLine(settled), settledTxId: settled.settledTxId };
};

/** D1 may be out of date or tampered with. So the chain itself is asked: it must have no version of the transaction. */
async function arrived(env: Context['env'], db: Context['db'], transaction: TransactionRow): Promise<Failure | null> {
	const older = (await replacedVersions(db, [transaction])).get(transaction.id) ?? [];
	const txIds = [newestOf(transaction), ...older].map(({ txId }) => txId);
	try {
		if (!(await objectNamed(env, env.CHAIN_AGENT, transaction.network).holdsAny(transaction.network, txIds)))
			return null;
	} catch (error) {
		logError('payout_not_looked_for', error, { payoutId: transaction.id });
		return fail(503, `${transaction.network} does not answer now; nothing was changed, run it again`);
	}
	return fail(
		409,
		`the chain has ${txIds.join(' or ')}: transaction ${transaction.id} has arrived, or may still arrive`,
	);
}

/** After a restore neither D1 nor the signer's journal may know what has paid it. */
async function forgotten({ SIGNER }: Context['env'], row: TransactionRow): Promise<Failure | null> {
	const refused = await SIGNER.settleRefusal(row.id, isOwn(row) ? null : row.orderId);
	return refused && fail(409, `transaction ${row.id} was not closed: ${refusalText(refused)}`);
}

const MOST_VERSIONS = 100;

export const listTransactions: RunOf<typeof topic, 'list'> = async (context, { open, since, until, limit }) => {
	const { db, now } = context;
	// In the words of the partial indexes that serve them.
	const which = open ? sql`${transactions.state} <> 'final'` : sql`${transactions.kind} in ('payout', 'refund')`;
	const rows = await db
		.select()
		.from(transactions)
		.where(
			and(
				which,
				gte(transactions.plannedAt, since === undefined ? 0 : (momentOf(since, now) ?? 0)),
				until === undefined ? undefined : lt(transactions.plannedAt, momentOf(until, now) ?? 0),
			),
		)
		.orderBy(desc(transactions.plannedAt), desc(transactions.id))
		.limit(limit);
	const switches = await currentSettings(context);
	return rows.map((row) => ({
		...transactionLine(row),
		toAddress: row.toAddress,
		plannedAt: isoTime(row.plannedAt),
		...waitsOf(row, switches),
	}));
};

export const showTransaction: RunOf<typeof topic, 'show'> = async (context, { id }) => {
	const { db, env } = context;
	const { transactionId, replacedAt } = transactionVersions;
	const [[row], versions] = await db.batch([
		db.select().from(transactions).where(eq(transactions.id, id)),
		db.select().from(transactionVersions).where(eq(transactionId, id)).orderBy(asc(replacedAt)).limit(MOST_VERSIONS),
	]);
	if (!row) return fail(404, `there is no transaction ${id}`);
	const record = transactionRecord(row, versions, await currentSettings(context));
	return { ...record, orderId: row.orderId, explorer: explorerOf(env, row) };
};

export const payoutRuns: RunsOf<typeof topic> = {
	list: listTransactions,
	show: showTransaction,
	settle: settlePayout,
	overtaken: nameOvertaker,
	'give-up': givePayoutUp,
};
