/**
 * sent → final. All versions of a sent transaction are queried, and the one in a block is the transaction. If none is
 * in a block, the fee is bumped (`new-version.ts`). If all were dropped, they are broadcast again, the newest version
 * first; one without bytes is only looked for. Where no node takes them any more, the signer makes another version. A
 * transaction that cannot go on is blocked for the operator. Nothing here makes a second payment.
 */
import { BroadcastRejected } from '../../chains/errors.ts';
import { isFinal } from '../../chains/finality.ts';
import type { Chain } from '../../chains/port.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { log } from '../../platform/log.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import type { TransactionRow } from '../table.ts';
import { costOfRejected } from './blocked.ts';
import type { TransactionContext } from './context.ts';
import { EFFECTS } from './effects.ts';
import { KINDS } from './kinds.ts';
import { replaceSent } from './new-version.ts';
import { followOvertaken } from './overtaken.ts';
import { tryAbandon } from './put-off.ts';
import {
	blockedColumns,
	blockedReason,
	lostReason,
	NOT_WAITING,
	rejectionReason,
	type StopReason,
	unconfirmedReason,
	waitingColumns,
} from './stop-reason.ts';
import { change } from './store.ts';
import { isBumpDue, isLongUnconfirmed } from './stuck.ts';
import { hasBytes, newestOf, type Replaced, replacedVersions, type Version } from './version-store.ts';
import { broadcastAgain, followStanding, type Standing, standingVersion } from './versions.ts';

/** Transactions that are queried at the same time. */
const PER_REQUEST = 10;
/** A reverted transaction is queried less often. */
const REVERTED_MILLISECONDS = 300_000;
/** A transaction that is still dropped this long after it was sent is blocked for the operator. */
const LOST_MILLISECONDS = HOUR_MILLISECONDS;

/** @throws the first error of the chain, after the other transactions of the same part were followed */
export async function followSent(context: TransactionContext, sent: readonly TransactionRow[]): Promise<void> {
	const replaced = await replacedVersions(context.db, sent);
	const slow: TransactionRow[] = [];
	let failure: unknown = null;
	for (let start = 0; start < sent.length && failure === null; start += PER_REQUEST) {
		const part = sent.slice(start, start + PER_REQUEST);
		const outcomes = await Promise.allSettled(part.map((row) => follow(context, row, replaced.get(row.id) ?? [])));
		for (const [i, outcome] of outcomes.entries()) {
			const row = part[i];
			if (!row) continue;
			if (outcome.status === 'fulfilled') {
				if (outcome.value === 'slow') slow.push(row);
				continue;
			}
			failure ??= outcome.reason;
			await putBehind(context, row, outcome.reason);
		}
	}
	await replaceSent(context, slow);
	if (failure !== null) throw failure;
}

/** A transaction that the chain gives no answer for must not delay the others, so next time they come first. */
const putBehind = (context: TransactionContext, row: TransactionRow, error: unknown): Promise<void> =>
	store(context, row, { kind: 'depth-unknown', facts: { error: String(error) } }, {});

/** `waits`: why it does not go on; null if it does. `set`: the other columns that change. */
const store = (
	{ db, followMilliseconds, now }: TransactionContext,
	row: TransactionRow,
	waits: StopReason | null,
	set: Partial<TransactionRow>,
): Promise<void> =>
	runBatch(db, [
		change(db, row, {
			nextAttemptAt: now + followMilliseconds,
			...(waits === null ? NOT_WAITING : waitingColumns(row, waits, now)),
			...set,
		}),
		...(set.state === 'final' ? EFFECTS[row.kind].final(db, row, now) : []),
	]);

/** `slow`: a new version of it is to be made. */
async function follow(
	context: TransactionContext,
	row: TransactionRow,
	older: readonly Replaced[],
): Promise<'slow' | null> {
	const { db, network, chain, now } = context;
	const versions = [newestOf(row), ...older];
	const standing = await standingVersion(chain, versions);
	if (!standing) return followDropped(context, row, versions);
	const { version, depth } = standing;
	if (older.length > 0) await followStanding(db, row, standing, now);
	const final = isFinal(network, depth, row.usdCents) && depth.fee !== null;
	const finalAt = depth.reverted ? (row.finalAt ?? now) : now;
	const cost = final ? { fee: String(depth.fee), finalAt } : {};
	if (depth.reverted && KINDS[row.kind].isInternal) {
		await followFailedMove(context, row, version.txId, final ? cost : null);
	} else if (depth.reverted) {
		const reason: StopReason = { kind: 'reverted', facts: { txId: version.txId } };
		await store(context, row, reason, {
			...cost,
			...blockedColumns(reason),
			nextAttemptAt: now + REVERTED_MILLISECONDS,
		});
	} else if (final) {
		await store(context, row, null, { ...cost, state: 'final', ...blockedColumns(null) });
	} else if (depth.confirmations > 0) {
		await store(context, row, null, blockedColumns(null));
	} else {
		return followUnconfirmed(context, row, older, standing);
	}
	return null;
}

/**
 * Nobody is owed a move between our own wallets, so one that failed on chain for good ends: it has cost its fee and
 * moved nothing, and its own id in `settledTxId` says so (`blocked.ts`). Another one may be planned then. `cost`: null
 * until a reorganisation can no longer undo the failure.
 */
async function followFailedMove(
	context: TransactionContext,
	row: TransactionRow,
	txId: string,
	cost: Partial<TransactionRow> | null,
): Promise<void> {
	if (!cost) return store(context, row, { kind: 'move-failed', facts: { txId } }, blockedColumns(null));
	const { id, network, kind, asset } = row;
	log('sweep_failed', { payoutId: id, network, kind, asset, txId });
	await store(context, row, null, { ...cost, state: 'final', settledTxId: txId, ...blockedColumns(null) });
}

async function followUnconfirmed(
	context: TransactionContext,
	row: TransactionRow,
	older: readonly Replaced[],
	{ version }: Standing,
): Promise<'slow' | null> {
	const { chain, now } = context;
	const isLong = isLongUnconfirmed(row, now);
	const reason = isLong ? unconfirmedReason(now - (row.sentAt ?? now), older.length) : null;
	await store(context, row, reason, blockedColumns(reason));
	if (version.txId === row.txId) {
		const replacedAt = older.map((each) => each.replacedAt);
		return isBumpDue(row, replacedAt, now) ? 'slow' : null;
	}
	// The mempool has an older version: the newest one was not accepted, or a crash came before its broadcast.
	const refusal = hasBytes(row) ? await broadcastAgain(chain, row, newestOf(row)) : null;
	return refusal instanceof BroadcastRejected && refusal.underpriced ? 'slow' : null;
}

/** No version of it is on the chain or in the mempool. */
async function followDropped(
	context: TransactionContext,
	row: TransactionRow,
	versions: readonly Version[],
): Promise<'slow' | null> {
	const { db, chain, now } = context;
	const known = versions.filter(hasBytes);
	const rejected = await rebroadcast(chain, row, known);
	if ((await tryAbandon(db, row, rejected)) || (await followOvertaken(context, row, versions, rejected))) return null;
	const needsNew = rejected?.needsNewVersion ?? false;
	const lostFor = now - (row.sentAt ?? now);
	const isLost = lostFor > LOST_MILLISECONDS && KINDS[row.kind].isUrgent;
	const blocked = rejected
		? needsNew
			? null
			: rejectionReason(rejected)
		: isLost
			? lostReason(lostFor, known.length > 0)
			: blockedReason(row);
	const waits = blocked ?? (rejected ? rejectionReason(rejected) : { kind: 'dropped' as const, facts: {} });
	await store(context, row, waits, { ...blockedColumns(blocked), ...costOfRejected(rejected, now) });
	return needsNew && KINDS[row.kind].hasVersions ? 'slow' : null;
}

/** Broadcasts the versions until the network takes one. Returns why it takes none; null where it may take one later. */
async function rebroadcast(chain: Chain, row: TransactionRow, versions: readonly Version[]) {
	let rejected: BroadcastRejected | null = null;
	for (const version of versions) {
		const refusal = await broadcastAgain(chain, row, version);
		if (refusal === null) return null;
		if (!(refusal instanceof BroadcastRejected)) continue;
		// Where their coins or nonce are taken, no version helps, whatever it would pay.
		if (refusal.taken) rejected = refusal;
		else if (refusal.needsNewVersion) rejected ??= refusal;
	}
	return rejected;
}
