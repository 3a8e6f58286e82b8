/**
 * planned → signed. The signer judges and signs. One update stores the transaction, only while its row is still
 * planned. A row whose transaction another row has already is put off and delays no other: an address that has an
 * unfinished sweep gets that one again.
 */
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import { errorText } from '../../platform/d1/error-text.ts';
import { log, logError } from '../../platform/log.ts';
import { metric } from '../../platform/metrics/metric.ts';
import type { SignOutcome } from '../../ports/signer.ts';
import { isAlert, refusalPasses } from '../signer-refusal.ts';
import type { TransactionRow } from '../table.ts';
import type { TransactionContext } from './context.ts';
import { KINDS, MOST_REFUSALS } from './kinds.ts';
import { putOff } from './put-off.ts';
import { type StopReason, stopText } from './stop-reason.ts';
import { noteWaiting, remove, storeSigned } from './store.ts';

/**
 * `signedAt`: of the first transaction. @throws what the signer throws: the transactions then wait for it and stay due
 */
export async function signPlanned(context: TransactionContext, planned: readonly TransactionRow[], signedAt: number) {
	const { db, network, signer, now } = context;
	const ids = planned.map(({ id }) => id);
	const outcomes = await signer.sign(network, ids).catch(async (error: unknown) => {
		await noteWaiting(db, planned, { kind: 'signer-unreachable', facts: { error: String(error) } }, now);
		throw error;
	});
	const answered = outcomes.flatMap((outcome, i): Answered[] => {
		const row = planned.find(({ id }) => id === outcome.payoutId);
		return row ? [{ row, statement: statementOf(context, row, outcome, signedAt + i) }] : [];
	});
	try {
		await runBatch(
			db,
			answered.map(({ statement }) => statement),
		);
	} catch (error) {
		if (!isOfAnotherRow(error)) throw error;
		for (const each of answered) await storeAlone(context, each);
	}
}

const isOfAnotherRow = (error: unknown): boolean =>
	errorText(error).includes('UNIQUE constraint failed: transactions.network, transactions.tx_id');

interface Answered {
	readonly row: TransactionRow;
	/** Stores what the signer answered. Safe to repeat. */
	readonly statement: Statement;
}

function statementOf(
	{ db, network, now }: TransactionContext,
	row: TransactionRow,
	outcome: SignOutcome,
	signedAt: number,
): Statement {
	if ('signed' in outcome) return storeSigned(db, row, outcome.signed, signedAt);
	const reason: StopReason = { kind: 'signer', facts: { refusal: outcome.refused } };
	metric('refusal', { kind: outcome.refused.kind, network }, { count: 1 });
	log('payout_refused', { payoutId: row.id, orderId: row.orderId, reason: stopText(reason) });
	if (refusalPasses(outcome.refused) === 'after-a-person')
		return putOff(db, row, reason, { blocks: isAlert(outcome.refused), now });
	return notNow({ db, now }, row, reason, isAlert(outcome.refused));
}

/** Nobody is owed a move between our own wallets, no command takes it back, and while it is there no other one moves those coins. */
function notNow(
	{ db, now }: Pick<TransactionContext, 'db' | 'now'>,
	row: TransactionRow,
	reason: StopReason,
	blocks: boolean,
): Statement {
	if (!KINDS[row.kind].isInternal || row.attempts + 1 < MOST_REFUSALS) return putOff(db, row, reason, { blocks, now });
	log(row.kind === 'consolidation' ? 'consolidation_given_up' : 'sweep_given_up', { payoutId: row.id });
	return remove(db, row);
}

/** @throws what D1 throws for another cause: then no later nonce is stored before this one */
async function storeAlone({ db, now }: TransactionContext, { row, statement }: Answered): Promise<void> {
	try {
		await runBatch(db, [statement]);
	} catch (error) {
		if (!isOfAnotherRow(error)) throw error;
		logError('signature_not_stored', error, { payoutId: row.id });
		await runBatch(db, [notNow({ db, now }, row, { kind: 'signed-for-another', facts: {} }, false)]);
	}
}
