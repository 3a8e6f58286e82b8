/** `payout give-up`: takes back a transaction that the signer never signed. `payout overtaken`: names the one that took its nonce. */
import { and, eq, type SQL } from 'drizzle-orm';
import { writeAudit, writeAuditIf } from '../../audit/log.ts';
import { auditLog } from '../../audit/table.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { logError } from '../../platform/log.ts';
import { refusalText } from '../../treasury/signer-refusal.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import { askSigner, canBeGivenUp, giveUpMoves, giveUpStatements } from '../../treasury/transactions/give-up.ts';
import { KINDS } from '../../treasury/transactions/kinds.ts';
import { waitingColumns } from '../../treasury/transactions/stop-reason.ts';
import { change, findTransaction } from '../../treasury/transactions/store.ts';
import { fromSigner, wakeAgent } from '../asking.ts';
import { type Context, type Failure, fail, isFailure, type RunOf } from '../command.ts';
import { transactionLine } from '../orders/record.ts';
import { unconfirmed } from '../persons.ts';
import type { payout as topic } from '../topics/payout.ts';

const GIVE_UP = 'payout give-up';

export const givePayoutUp: RunOf<typeof topic, 'give-up'> = async (context, input) => {
	const { db, env, now } = context;
	const transaction = await findTransaction(db, input.id);
	if (!transaction) return missing(context, input.id);
	const problem = refusalOf(transaction);
	if (problem) return fail(409, problem);
	const { id, orderId, kind, asset, amount, toAddress } = transaction;
	const asked = await unconfirmed(context, giveUpMoves(transaction));
	if (asked) return asked;
	const refused = await fromSigner(() => askSigner(env.SIGNER, transaction), { payoutId: id });
	if (isFailure(refused)) return refused;
	if (refused) return fail(409, `transaction ${id} was not given up: ${refusalText(refused)}`);
	const changes = { reason: input.reason, orderId, kind, asset, amount, to: toAddress };
	const audit = (isPlanned: SQL) => writeAuditIf(context, { command: GIVE_UP, subject: id, changes }, isPlanned);
	try {
		await runBatch(db, giveUpStatements(db, transaction, audit, now));
	} catch (error) {
		logError('payout_not_given_up', error, { payoutId: id });
	}
	// D1's answer may be lost, and another call may have come first. It is given up once the row is deleted.
	if (await findTransaction(db, id))
		return fail(503, `the signer never signs transaction ${id} now, but its row is still there: run this again`);
	return { ...transactionLine(transaction), state: 'given up', next: nextOf(transaction) };
};

async function missing({ db }: Context, id: string): Promise<Failure> {
	const before = and(eq(auditLog.command, GIVE_UP), eq(auditLog.subject, id));
	const [given] = await db.select({ at: auditLog.at }).from(auditLog).where(before).limit(1);
	if (!given) return fail(404, `there is no transaction ${id}`);
	return fail(409, `transaction ${id} was given up already, at ${new Date(given.at).toISOString()}`);
}

/** Why this command does not apply; null where the signer is to be asked. */
function refusalOf(transaction: TransactionRow): string | null {
	const { id, kind, state } = transaction;
	if (!canBeGivenUp(transaction))
		return `transaction ${id} (${kind}) moves coins between wallets of our own: nobody is owed it, and the service plans it again by itself`;
	return state === 'planned' ? null : `transaction ${id}: ${refusalText({ kind: 'signed-already' })}`;
}

const nextOf = ({ kind, orderId }: TransactionRow): string => {
	if (kind === 'earnings') return 'what was earned is still owed; `earnings pay-out PARTNER` plans it again';
	if (orderId === null) return 'nothing: the coins stay where they are';
	return `its deposits are free: \`order refund ${orderId}\` sends them back`;
};

/**
 * Atomic: one batch writes the audit line and the id. It proves nothing: the next poll asks the nodes of the agents Worker and of the signer, and
 * only they end the move.
 */
export const nameOvertaker: RunOf<typeof topic, 'overtaken'> = async (context, { id, txId, reason }) => {
	const { db, now } = context;
	const row = await findTransaction(db, id);
	if (!row) return fail(404, `there is no transaction ${id}`);
	if (!KINDS[row.kind].isInternal)
		return fail(
			409,
			`transaction ${id} (${row.kind}) is owed: if it cannot arrive, pay it by hand, then \`payout settle ${id} --tx-id T --reason R\``,
		);
	if (row.state === 'final' || row.waitsKind !== 'overtaken')
		return fail(409, `transaction ${id} may still arrive: no node says that another one took its nonce`);
	const waits = waitingColumns(row, { kind: 'overtaken', facts: { message: 'as the operator says', txId } }, now);
	await runBatch(db, [
		writeAudit(context, { command: 'payout overtaken', subject: id, changes: { txId, reason } }),
		change(db, row, { ...waits, nextAttemptAt: now }),
	]);
	await wakeAgent(context, row.network);
	const next = `the nodes are asked now; if \`payout show ${id}\` still does not name ${txId} in a minute, it is another one`;
	return { ...transactionLine(row), next };
};
