/**
 * A transaction whose nonce or coins another one took, once that is final on this Worker's node and on the signer's. The
 * other one may be a version of it that D1, or the signer's journal, was set back to before: then it is followed instead.
 * Else a move between our own wallets can never arrive, and nobody is owed it, so it ends like one that failed on chain,
 * with nothing booked. What is owed waits for a person. Atomic: one batch ends the row and has its address judged again.
 */
import { BroadcastRejected } from '../../chains/errors.ts';
import { isFinal } from '../../chains/finality.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { log, logError } from '../../platform/log.ts';
import type { TransactionRow } from '../table.ts';
import type { TransactionContext } from './context.ts';
import { EFFECTS } from './effects.ts';
import { KINDS } from './kinds.ts';
import { putOff } from './put-off.ts';
import { blockedColumns, NOT_WAITING, type StopFacts, type StopReason } from './stop-reason.ts';
import { change, waitsAsRead } from './store.ts';
import { hasBytes, newestOf, replaceVersion, type Version } from './version-store.ts';

type Found =
	| Version
	/** That one is final, and is none of its own. */
	| { readonly by: string }
	/** Nobody can tell yet, or where `txId` is null and `blocks`, ever. */
	| { readonly txIdSoFar: string | null; readonly blocks: boolean };

/** True if this was done, or will be tried again. `versions`: all of the row's; `refusal`: what their broadcast threw. */
export async function followOvertaken(
	context: TransactionContext,
	row: TransactionRow,
	versions: readonly Version[],
	refusal: unknown,
): Promise<boolean> {
	if (!(refusal instanceof BroadcastRejected) || !(refusal.taken || refusal.unminable)) return false;
	if (!context.chain.overtaker || !hasBytes(row)) return false;
	const { db, now } = context;
	const { message } = refusal;
	const found = await look(context, row, versions).catch((error): Found => {
		logError('overtaker_not_found', error, { payoutId: row.id });
		return { txIdSoFar: guessOf(row), blocks: false };
	});
	const { isInternal } = KINDS[row.kind];
	// Monero: what took the coins of an unminable one is no end of it, because a new version of it may take others.
	if (!refusal.taken && !('txId' in found)) return false;
	if ('by' in found) {
		if (isInternal) await end(context, row, found.by);
		else await store(context, row, { kind: 'taken', facts: { message, txId: found.by } }, true);
	} else if ('txId' in found) {
		// The next poll follows it.
		await runBatch(db, replaceVersion(db, row, found, now));
	} else {
		const { txIdSoFar: txId, blocks } = found;
		const kind = isInternal ? 'overtaken' : blocks ? 'taken' : 'taken-by';
		await store(context, row, { kind, facts: { message, txId } }, blocks);
	}
	return true;
}

/** The operator may have named the other one while the nodes were asked. */
const store = ({ db, now }: TransactionContext, row: TransactionRow, reason: StopReason, blocks: boolean) =>
	runBatch(db, [
		putOff(db, row, reason, { blocks, now, more: blocks ? {} : blockedColumns(null), only: waitsAsRead(row) }),
	]);

async function look(
	{ network, chain, signer, hotAddress }: TransactionContext,
	row: TransactionRow,
	versions: readonly Version[],
): Promise<Found> {
	const { raw } = newestOf(row);
	const from = (KINDS[row.kind].hasOwnNonce && row.payInAddress) || hotAddress;
	const found = (await chain.overtaker?.(raw, from, guessOf(row))) ?? null;
	if (found === null) return { txIdSoFar: null, blocks: true };
	const { txId } = found;
	const waits = { txIdSoFar: txId, blocks: false };
	// A block took one of ours in between: the next poll sees it.
	if (versions.some((version) => version.txId === txId)) return waits;
	if (!isFinal(network, found, null)) return waits;
	const terms = { asset: row.asset, to: row.toAddress, amount: row.amount };
	const answer = await signer.overtaken(network, { payoutId: row.id, raw, from, terms, txId }).catch((error) => {
		logError('overtaker_not_found', error, { payoutId: row.id });
		return null;
	});
	if (answer?.version) return answer.version;
	return answer?.isOvertaken ? { by: txId } : waits;
}

/** Which transaction took it, as an earlier poll or the operator has stored (`payout overtaken`). */
function guessOf({ waitsKind, waitsFacts }: TransactionRow): string | null {
	const isNamed = waitsKind === 'overtaken' || waitsKind === 'taken-by' || waitsKind === 'taken';
	return isNamed ? (waitsFacts as StopFacts['overtaken']).txId : null;
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
