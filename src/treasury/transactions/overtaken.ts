/**
 * A move between our own wallets whose nonce another transaction took. It can never arrive, and nobody is owed it, so it
 * ends like one that failed on chain, with nothing booked: once that other transaction is final on this Worker's node and
 * on the signer's. Atomic: one batch ends the row and has its address judged again.
 */
import { BroadcastRejected } from '../../chains/errors.ts';
import { isFinal } from '../../chains/finality.ts';
import { runBatch } from '../../d1/batches.ts';
import { log, logError } from '../../log.ts';
import type { TransactionRow } from '../table.ts';
import type { TransactionContext } from './context.ts';
import { EFFECTS } from './effects.ts';
import { KINDS } from './kinds.ts';
import { putOff } from './put-off.ts';
import { blockedColumns, NOT_WAITING, type StopFacts, type StopReason } from './stop-reason.ts';
import { change, waitsAsRead } from './store.ts';
import { newestOf, replaceVersion, type Version } from './version-store.ts';

type Found = { readonly by: string } | Version | { readonly waits: StopFacts['overtaken']; readonly blocks: boolean };

/** True if this was done, or will be tried again. `versions`: all of the row's; `refusal`: what their broadcast threw. */
export async function followOvertaken(
	context: TransactionContext,
	row: TransactionRow,
	versions: readonly Version[],
	refusal: unknown,
): Promise<boolean> {
	if (!(refusal instanceof BroadcastRejected) || !refusal.taken) return false;
	if (!context.chain.overtaker || !KINDS[row.kind].isInternal) return false;
	const { db, now } = context;
	const found = await look(context, row, versions, refusal.message).catch((error): Found => {
		logError('overtaker_not_found', error, { payoutId: row.id });
		return { waits: { message: refusal.message, txId: guessOf(row) }, blocks: false };
	});
	if ('by' in found) {
		await end(context, row, found.by);
	} else if ('txId' in found) {
		// D1 has lost this version, which the signer knows: the next poll follows it.
		await runBatch(db, replaceVersion(db, row, found, now));
	} else {
		const { waits, blocks } = found;
		const blocked = blocks ? {} : blockedColumns(null);
		const reason: StopReason = { kind: 'overtaken', facts: waits };
		// The operator may have named the other one while the nodes were asked.
		await runBatch(db, [putOff(db, row, reason, { blocks, ...blocked }, now, waitsAsRead(row))]);
	}
	return true;
}

async function look(
	{ network, chain, signer, hotAddress }: TransactionContext,
	row: TransactionRow,
	versions: readonly Version[],
	message: string,
): Promise<Found> {
	const { raw } = newestOf(row);
	const from = (KINDS[row.kind].hasOwnNonce && row.payInAddress) || hotAddress;
	const found = (await chain.overtaker?.(raw, from, guessOf(row))) ?? null;
	if (found === null) return { waits: { message, txId: null }, blocks: true };
	const { txId } = found;
	const waits = { waits: { message, txId }, blocks: false };
	// A block took one of ours in between: the next poll sees it.
	if (versions.some((version) => version.txId === txId)) return waits;
	if (!isFinal(network, found, null)) return waits;
	// A signer of an older version does not know the question: the move waits for the newer one.
	const answer = await signer.overtaken(network, { payoutId: row.id, raw, from, txId }).catch((error) => {
		logError('overtaker_not_found', error, { payoutId: row.id });
		return null;
	});
	if (answer?.version) return answer.version;
	return answer?.isOvertaken ? { by: txId } : waits;
}

/** Which transaction took it, as an earlier poll or the operator has stored (`payout overtaken`). */
function guessOf({ waitsKind, waitsFacts }: TransactionRow): string | null {
	return waitsKind === 'overtaken' ? (waitsFacts as StopFacts['overtaken']).txId : null;
}

async function end({ db, now }: TransactionContext, row: TransactionRow, by: string): Promise<void> {
	const { id, network, kind, asset, txId } = row;
	log('sweep_overtaken', { payoutId: id, network, kind, asset, txId, by });
	const failed = { state: 'final', settledTxId: txId, fee: '0', sentAt: row.sentAt ?? now, finalAt: now } as const;
	await runBatch(db, [
		change(db, row, { ...failed, ...blockedColumns(null), ...NOT_WAITING }),
		...EFFECTS[kind].final(db, row, now),
	]);
}
