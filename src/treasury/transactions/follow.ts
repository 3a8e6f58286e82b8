/**
 * What was sent is followed until it is final, and what it cost is stored with that, in all its versions: whichever of
 * them a block holds is the payout. What no block takes pays a higher fee (`fee-bump.ts`); what neither chain nor mempool
 * holds is broadcast again, the newest version first; what cannot go on calls a person (`blocked.ts`). Nothing here makes a
 * second payment.
 */
import { and, eq } from 'drizzle-orm';
import { BroadcastRejected } from '../../chains/errors.ts';
import { isFinal } from '../../chains/finality.ts';
import type { Chain } from '../../chains/port.ts';
import { runBatch } from '../../d1/batches.ts';
import { candidateStatements } from '../sweeps/candidates.ts';
import { type TransactionRow, transactions } from '../table.ts';
import { isAbandoned } from './abandon.ts';
import { endOf, lostText, refusalText, revertedText, unconfirmedText } from './blocked.ts';
import { raiseFees } from './fee-bump.ts';
import type { Paying } from './pay.ts';
import { isLongUnconfirmed, isRaiseDue } from './stuck.ts';
import {
	broadcastAgain,
	followStanding,
	newestOf,
	type Replaced,
	replacedVersions,
	standingVersion,
	type Version,
} from './versions.ts';
import { GOES_ON, waitsFor } from './wait-reason.ts';

/** Payouts that the chain is asked about at once. */
const PER_LOOK = 10;
/** One that waits for a person is looked at less often. */
const HELD_MILLISECONDS = 300_000;
/** Why a payout waits that was broadcast a while ago. */
const NOT_THERE = 'neither chain nor mempool holds it; it is broadcast again by itself';
/** A sent payout that chain and mempool do not hold for this long needs a person. */
const LOST_MILLISECONDS = 3_600_000;

export async function followSent(paying: Paying, sent: readonly TransactionRow[]): Promise<void> {
	const replaced = await replacedVersions(paying.db, sent);
	const slow: TransactionRow[] = [];
	let failure: unknown = null;
	for (let start = 0; start < sent.length && failure === null; start += PER_LOOK) {
		const part = sent.slice(start, start + PER_LOOK);
		const found = await Promise.allSettled(part.map((payout) => follow(paying, payout, replaced.get(payout.id) ?? [])));
		slow.push(...part.filter((_, i) => isSlow(found[i])));
		for (const [i, each] of found.entries()) {
			const payout = part[i];
			if (each.status !== 'rejected' || !payout) continue;
			failure ??= each.reason;
			await putBehind(paying, payout, each.reason);
		}
	}
	await raiseFees(paying, slow);
	if (failure !== null) throw failure;
}

const isSlow = (outcome: PromiseSettledResult<'slow' | null> | undefined): boolean =>
	outcome?.status === 'fulfilled' && outcome.value === 'slow';

/** Where the chain cannot say what became of one, the others must not wait for it: next time they are asked about first. */
async function putBehind({ db, followMilliseconds, now }: Paying, payout: TransactionRow, why: unknown): Promise<void> {
	const waits = waitsFor(payout, `the chain does not say what became of it: ${String(why)}`, now);
	await db
		.update(transactions)
		.set({ nextAttemptAt: now + followMilliseconds, ...waits })
		.where(and(eq(transactions.id, payout.id), eq(transactions.state, 'sent')));
}

async function follow(paying: Paying, payout: TransactionRow, older: readonly Replaced[]): Promise<'slow' | null> {
	const { db, network, chain, followMilliseconds, now } = paying;
	/** `because`: why it does not go on; null where it does. */
	const change = (because: string | null, set: Partial<TransactionRow>) =>
		db
			.update(transactions)
			.set({
				nextAttemptAt: now + followMilliseconds,
				...(because === null ? GOES_ON : waitsFor(payout, because, now)),
				...set,
			})
			.where(and(eq(transactions.id, payout.id), eq(transactions.state, 'sent')));
	const versions = [newestOf(payout), ...older];
	const standing = await standingVersion(chain, versions);
	if (!standing) {
		const refusal = await refusalWhenLost(chain, payout, versions);
		if (await isAbandoned(db, payout, refusal)) return null;
		const lost = now - (payout.sentAt ?? now);
		const isLost = lost > LOST_MILLISECONDS && payout.kind !== 'consolidation';
		const held = refusal ? refusalText(refusal) : isLost ? lostText(lost) : payout.held;
		await change(held ?? NOT_THERE, { held, ...endOf(refusal, now) });
		return null;
	}
	const { version, depth } = standing;
	if (older.length > 0) await followStanding(db, payout, standing, now);
	const final = isFinal(network, depth, payout.usdCents) && depth.fee !== null;
	const finalAt = depth.reverted ? (payout.finalAt ?? now) : now;
	const settled = final ? { fee: String(depth.fee), finalAt } : {};
	if (depth.reverted) {
		const held = revertedText(version.txId);
		await change(held, { ...settled, held, nextAttemptAt: now + HELD_MILLISECONDS });
	} else if (final) {
		const done = change(null, { ...settled, state: 'final', held: null });
		await runBatch(db, [done, ...candidateStatements(db, payout, now)]);
	} else if (depth.confirmations > 0) {
		await change(null, { held: null });
	} else {
		const held = isLongUnconfirmed(payout, now) ? unconfirmedText(payout, older.length, now) : null;
		await change(held, { held });
		if (version.txId === payout.txId) {
			const replacedAt = older.map((each) => each.replacedAt);
			return isRaiseDue(payout, replacedAt, now) ? 'slow' : null;
		}
		// Not broadcast because of a crash, or not let in: an older version is what the mempool holds.
		await broadcastAgain(chain, payout, newestOf(payout));
	}
	return null;
}

/** Broadcasts what neither chain nor mempool holds; why it can never confirm, null while there is hope. */
async function refusalWhenLost(
	chain: Chain,
	payout: TransactionRow,
	versions: readonly Version[],
): Promise<BroadcastRejected | null> {
	let dead: BroadcastRejected | null = null;
	for (const version of versions) {
		const refusal = await broadcastAgain(chain, payout, version);
		if (refusal === null) return null;
		if (refusal instanceof BroadcastRejected && (refusal.taken || refusal.expired)) dead ??= refusal;
	}
	return dead;
}
