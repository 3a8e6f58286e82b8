/** `payout overtaken`: names the transaction that took the nonce of a move between wallets of our own. */
import { writeAudit } from '../../audit/log.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { KINDS } from '../../treasury/transactions/kinds.ts';
import { waitingColumns } from '../../treasury/transactions/stop-reason.ts';
import { change, findTransaction } from '../../treasury/transactions/store.ts';
import { wakeAgent } from '../asking.ts';
import { fail, type RunOf } from '../command.ts';
import { transactionLine } from '../orders/record.ts';
import type { payout as topic } from '../topics/payout.ts';

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
