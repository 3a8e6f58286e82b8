/**
 * signed → sent. The stored transaction, and no other, is broadcast until the network has it. Where the network takes it
 * no more, the signer makes another version, which is stored and broadcast instead. Then one batch stores the new state
 * and everything that follows from it (`effects.ts`). One without bytes is only looked for.
 */
import { BroadcastRejected } from '../../chains/errors.ts';
import type { Chain } from '../../chains/port.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { logError } from '../../platform/log.ts';
import { metric } from '../../platform/metrics/metric.ts';
import type { TransactionRow } from '../table.ts';
import { costOfRejected } from './blocked.ts';
import type { TransactionContext } from './context.ts';
import { recordSent } from './effects.ts';
import { KINDS, kindsWhere } from './kinds.ts';
import { newVersions } from './new-version.ts';
import { followOvertaken } from './overtaken.ts';
import { putOff, tryAbandon } from './put-off.ts';
import { rejectionReason, type StopReason } from './stop-reason.ts';
import { isOfKinds, isTaken, noteWaiting, signedTransactions } from './store.ts';
import { hasBytes, newestOf } from './version-store.ts';

/** Those of the hot wallet come first, each after the one before it. Returns the ids of the webhook events that this made. */
export async function broadcastSigned(context: TransactionContext): Promise<string[]> {
	const { db, network, chain, now, followMilliseconds } = context;
	const eventIds: string[] = [];
	for (const ofWallet of [true, false]) {
		const kinds = kindsWhere(({ hasOwnNonce }) => hasOwnNonce !== ofWallet);
		const signed = byNonce(await signedTransactions(db, network, isOfKinds(kinds)), chain);
		const taken: TransactionRow[] = [];
		for (const [i, row] of signed.entries()) {
			const sent = isDue(row, now) ? await tryBroadcast(context, row) : null;
			if (sent) taken.push(sent);
			// The network takes a nonce only after the one below it. If another transaction has used that one, nothing
			// waits for it. Nor does anything wait for what is not ours to broadcast.
			else if (ofWallet && chain.sequential && hasBytes(row) && !(await isTaken(db, row.id))) {
				await noteWaiting(db, signed.slice(i + 1), { kind: 'earlier-nonce', facts: { id: row.id } }, now);
				break;
			}
		}
		eventIds.push(...(await recordSent(db, taken, now, followMilliseconds)));
		for (const { kind, plannedAt } of taken)
			if (kind === 'payout' || kind === 'refund')
				metric('broadcast', { network, kind }, { seconds: Math.max(0, (now - plannedAt) / 1000) });
	}
	return eventIds;
}

/**
 * In the order of signing. It is not that of the rows where an answer of the signer was lost, and another transaction was
 * stored before the signer was asked again. Nothing waits for bytes that are no transaction, which come last.
 */
function byNonce(signed: readonly TransactionRow[], chain: Chain): readonly TransactionRow[] {
	const { nonceOf } = chain;
	if (!nonceOf) return signed;
	const place = ({ raw }: TransactionRow): number => {
		try {
			return raw ? nonceOf(raw) : -1;
		} catch {
			return Number.MAX_SAFE_INTEGER;
		}
	};
	return signed.toSorted((a, b) => place(a) - place(b));
}

/** A transaction signed in this poll is due, although its `nextAttemptAt` is some milliseconds ahead. */
const isDue = ({ nextAttemptAt, signedAt }: TransactionRow, now: number): boolean =>
	nextAttemptAt <= now || nextAttemptAt === signedAt;

/** The row as the network has taken it. Null where it has not: then it is put off, and blocked if it cannot go on. */
async function tryBroadcast(context: TransactionContext, row: TransactionRow): Promise<TransactionRow | null> {
	if (!hasBytes(row)) return (await tryFind(context, row)) ? row : null;
	const { db, chain, now } = context;
	try {
		await chain.broadcast(row.raw ?? '');
		return row;
	} catch (error) {
		logError('payout_not_broadcast', error, { payoutId: row.id, orderId: row.orderId });
		if ((await tryAbandon(db, row, error)) || (await followOvertaken(context, row, [newestOf(row)], error)))
			return null;
		const rejected = error instanceof BroadcastRejected ? error : null;
		const needsNew = rejected?.needsNewVersion ?? false;
		const reason: StopReason = rejected
			? rejectionReason(rejected)
			: { kind: 'broadcast-failed', facts: { error: String(error) } };
		const cost = costOfRejected(rejected, now);
		await runBatch(db, [putOff(db, row, reason, { blocks: rejected !== null && !needsNew, now, more: cost })]);
		return needsNew && KINDS[row.kind].hasVersions ? broadcastNew(context, row) : null;
	}
}

/** The row with the version that the network has taken. Null where there is none now: it is put off already. */
async function broadcastNew(context: TransactionContext, row: TransactionRow): Promise<TransactionRow | null> {
	try {
		const [next] = await newVersions(context, [row]);
		if (!next) return null;
		await context.chain.broadcast(next.raw ?? '');
		return next;
	} catch (error) {
		logError('payout_not_broadcast', error, { payoutId: row.id, orderId: row.orderId });
		return null;
	}
}

/** True if chain or mempool has it. Otherwise it is put off. */
async function tryFind({ db, chain, now }: TransactionContext, row: TransactionRow): Promise<boolean> {
	let error = `neither chain nor mempool holds ${row.txId}`;
	try {
		if (await chain.transactionDepth(row.txId ?? '')) return true;
	} catch (thrown) {
		logError('payout_not_broadcast', thrown, { payoutId: row.id, orderId: row.orderId });
		error = String(thrown);
	}
	await runBatch(db, [putOff(db, row, { kind: 'depth-unknown', facts: { error } }, { blocks: false, now })]);
	return false;
}
