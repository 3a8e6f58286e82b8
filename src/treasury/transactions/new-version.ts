/**
 * Has the signer make another version of a transaction that no block takes, or that no node takes any more: from the
 * same coins or with the same nonce at a higher fee, or again where the signer's own node proves that the earlier one can
 * no longer be in any block. Atomic: the signer stores a new version before it returns it, and one batch stores it here
 * beside the older one before it is broadcast. After a crash in between, the signer returns the same version again.
 */
import { runBatch } from '../../platform/d1/batches.ts';
import { log } from '../../platform/log.ts';
import { metric } from '../../platform/metrics/metric.ts';
import type { TransactionRow } from '../table.ts';
import type { TransactionContext } from './context.ts';
import { type StopReason, stopText, waitingColumns } from './stop-reason.ts';
import { change } from './store.ts';
import { newestOf, replaceVersion } from './version-store.ts';
import { broadcastAgain, followStanding } from './versions.ts';

/** Most transactions in one request to the signer. */
const PER_REQUEST = 20;
/** A sent transaction of which no version can be made now is tried again after this. */
const REFUSED_MILLISECONDS = 300_000;

/**
 * Returns the rows that have a newer version now, as they are stored. Of the others the reason is stored.
 * @throws what the signer throws
 */
export async function newVersions({ db, network, signer, now }: TransactionContext, rows: readonly TransactionRow[]) {
	const asked = rows.slice(0, PER_REQUEST);
	if (asked.length === 0) return [];
	const stuck = asked.map((row) => ({ payoutId: row.id, txId: newestOf(row).txId }));
	const outcomes = await signer.bump(network, stuck);
	const replaced: TransactionRow[] = [];
	for (const outcome of outcomes) {
		const row = asked.find(({ id }) => id === outcome.payoutId);
		if (!row) continue;
		const { id, orderId, state } = row;
		if ('replaced' in outcome) {
			const { raw, txId } = outcome.replaced;
			log('version_signed', { payoutId: id, orderId, from: row.txId, to: txId });
			await runBatch(db, replaceVersion(db, row, outcome.replaced, now));
			replaced.push({ ...row, raw, txId });
			continue;
		}
		const reason: StopReason = { kind: 'fee-not-bumped', facts: { refusal: outcome.refused } };
		metric('refusal', { kind: outcome.refused.kind, network }, { count: 1 });
		log('version_not_signed', { payoutId: id, orderId, reason: stopText(reason) });
		// One that was never sent has its next attempt already, soon at first (`put-off.ts`).
		const next = state === 'sent' ? { nextAttemptAt: now + REFUSED_MILLISECONDS } : {};
		await runBatch(db, [change(db, row, { ...next, ...waitingColumns(row, reason, now) })]);
	}
	return replaced;
}

/** `stuck`: sent transactions of which a new version is due. */
export async function replaceSent(context: TransactionContext, stuck: readonly TransactionRow[]): Promise<void> {
	const { db, chain, now } = context;
	for (const row of await newVersions(context, stuck)) {
		const version = newestOf(row);
		if ((await broadcastAgain(chain, row, version)) !== null) continue;
		const depth = await chain.transactionDepth(version.txId);
		if (depth) await followStanding(db, row, { version, depth }, now);
	}
}
