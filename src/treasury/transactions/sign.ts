/**
 * planned → signed. The signer judges and signs. One update stores the transaction, only while its row is still
 * planned.
 */
import { runInBatches, type Statement } from '../../d1/batches.ts';
import { log } from '../../log.ts';
import { metric } from '../../metrics/metric.ts';
import type { SignOutcome } from '../signer-port.ts';
import { isAlert } from '../signer-refusal.ts';
import type { TransactionRow } from '../table.ts';
import type { TransactionContext } from './context.ts';
import { putOff } from './put-off.ts';
import { type StopReason, stopText } from './stop-reason.ts';
import { noteWaiting, storeSigned } from './store.ts';

/** `signedAt`: of the first transaction, Unix milliseconds. @throws what the signer throws */
export async function signPlanned(
	context: TransactionContext,
	planned: readonly TransactionRow[],
	signedAt: number,
): Promise<void> {
	const { db, now } = context;
	const outcomes = await signaturesOf(context, planned);
	const statements = outcomes.flatMap((outcome, i): Statement[] => {
		const row = planned.find(({ id }) => id === outcome.payoutId);
		if (!row) return [];
		if ('signed' in outcome) return [storeSigned(db, row, outcome.signed, signedAt + i)];
		const reason: StopReason = { kind: 'signer', facts: { refusal: outcome.refused } };
		metric('refusal', { kind: outcome.refused.kind, network: context.network }, { count: 1 });
		log('payout_refused', { payoutId: row.id, orderId: row.orderId, reason: stopText(reason) });
		return [putOff(db, row, reason, { blocks: isAlert(outcome.refused) }, now)];
	});
	await runInBatches(db, statements);
}

/** @throws what the signer throws; the transactions then wait for it and stay due. */
async function signaturesOf(
	{ db, network, signer, now }: TransactionContext,
	planned: readonly TransactionRow[],
): Promise<SignOutcome[]> {
	try {
		return await signer.sign(
			network,
			planned.map(({ id }) => id),
		);
	} catch (error) {
		await noteWaiting(db, planned, { kind: 'signer-unreachable', facts: { error: String(error) } }, now);
		throw error;
	}
}
