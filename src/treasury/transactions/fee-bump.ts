/**
 * Bumps the fees of transactions that no block takes. Atomic: the signer stores a new version before it returns it, and
 * one batch stores it here beside the older one before it is broadcast. After a crash in between, the signer returns
 * the same version again.
 */
import { runBatch } from '../../d1/batches.ts';
import { log } from '../../log.ts';
import { metric } from '../../metrics/metric.ts';
import type { TransactionRow } from '../table.ts';
import type { TransactionContext } from './context.ts';
import { type StopReason, stopText, waitingColumns } from './stop-reason.ts';
import { change } from './store.ts';
import { newestOf, replaceVersion, type Version } from './version-store.ts';
import { broadcastAgain, followStanding } from './versions.ts';

/** Most transactions in one request to the signer. */
const PER_BUMP = 20;
/** A transaction whose fee cannot be bumped now is tried again after this. */
const REFUSED_MILLISECONDS = 300_000;

/** `slow`: transactions whose newest version is in the mempool and in no block. */
export async function bumpFees(context: TransactionContext, slow: readonly TransactionRow[]): Promise<void> {
	const { db, network, signer, now } = context;
	const asked = slow.slice(0, PER_BUMP);
	if (asked.length === 0) return;
	const outcomes = await signer.bump(
		network,
		asked.map((row) => ({ payoutId: row.id, txId: newestOf(row).txId })),
	);
	for (const outcome of outcomes) {
		const row = asked.find(({ id }) => id === outcome.payoutId);
		if (!row) continue;
		if ('replaced' in outcome) {
			await replace(context, row, outcome.replaced);
			continue;
		}
		const reason: StopReason = { kind: 'fee-not-bumped', facts: { refusal: outcome.refused } };
		metric('refusal', { kind: outcome.refused.kind, network }, { count: 1 });
		log('fee_not_raised', { payoutId: row.id, orderId: row.orderId, reason: stopText(reason) });
		const waits = waitingColumns(row, reason, now);
		await runBatch(db, [change(db, row, { nextAttemptAt: now + REFUSED_MILLISECONDS, ...waits })]);
	}
}

async function replace({ db, chain, now }: TransactionContext, row: TransactionRow, next: Version): Promise<void> {
	log('fee_raised', { payoutId: row.id, orderId: row.orderId, from: row.txId, to: next.txId });
	await runBatch(db, replaceVersion(db, row, next, now));
	if ((await broadcastAgain(chain, row, next)) !== null) return;
	const depth = await chain.transactionDepth(next.txId);
	if (depth) await followStanding(db, { ...row, ...next }, { version: next, depth }, now);
}
