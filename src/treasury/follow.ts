/**
 * What was sent is followed until it is final, in all its versions: whichever of them a block holds is the payout. What
 * no block takes pays a higher fee (`bump.ts`); what neither chain nor mempool holds is broadcast again, the newest
 * version first; what cannot go on calls a person (`held.ts`). Nothing here makes a second payment.
 */
import { and, eq } from 'drizzle-orm';
import { isFinal } from '../chains/finality.ts';
import { BroadcastRejected } from '../chains/port.ts';
import { raiseFees } from './bump.ts';
import { lostText, revertedText, takenText, unconfirmedText } from './held.ts';
import type { Paying } from './pay.ts';
import { isLongUnconfirmed, isRaiseDue } from './stuck.ts';
import { type PayoutRow, payouts } from './table.ts';
import {
	broadcastAgain,
	followStanding,
	newestOf,
	type Replaced,
	replacedVersions,
	standingVersion,
	type Version,
} from './versions.ts';

/** Payouts that the chain is asked about at once. */
const PER_LOOK = 10;
/** How often a sent payout is looked at until it is final. */
const FOLLOW_MILLISECONDS = 30_000;
/** A sent payout that chain and mempool do not hold for this long needs a person. */
const LOST_MILLISECONDS = 3_600_000;

export async function followSent(paying: Paying, sent: readonly PayoutRow[]): Promise<void> {
	const replaced = await replacedVersions(paying.db, sent);
	const slow: PayoutRow[] = [];
	for (let start = 0; start < sent.length; start += PER_LOOK) {
		const part = sent.slice(start, start + PER_LOOK);
		const found = await Promise.all(part.map((payout) => follow(paying, payout, replaced.get(payout.id) ?? [])));
		slow.push(...part.filter((_, i) => found[i] === 'slow'));
	}
	await raiseFees(paying, slow);
}

async function follow(paying: Paying, payout: PayoutRow, older: readonly Replaced[]): Promise<'slow' | null> {
	const { db, network, chain, now } = paying;
	const change = (set: Partial<PayoutRow>) =>
		db
			.update(payouts)
			.set({ nextAttemptAt: now + FOLLOW_MILLISECONDS, ...set })
			.where(and(eq(payouts.id, payout.id), eq(payouts.state, 'sent')));
	const versions = [newestOf(payout), ...older];
	const standing = await standingVersion(chain, versions);
	if (!standing) {
		await change({ held: (await heldWhenLost(paying, payout, versions)) ?? payout.held });
		return null;
	}
	const { version, depth } = standing;
	if (older.length > 0) await followStanding(db, payout, standing, now);
	if (depth.reverted) {
		await change({ held: revertedText(version.txId) });
	} else if (isFinal(network, depth, payout.usdCents)) {
		await change({ state: 'final', finalAt: now, held: null });
	} else if (depth.confirmations > 0) {
		await change({ held: null });
	} else {
		await change({ held: isLongUnconfirmed(payout, now) ? unconfirmedText(payout, older.length, now) : null });
		if (version.txId === payout.txId) {
			const replacedAt = older.map((each) => each.replacedAt);
			return isRaiseDue(payout, replacedAt, now) ? 'slow' : null;
		}
		// Not broadcast because of a crash, or not let in: an older version is what the mempool holds.
		await broadcastAgain(chain, payout, newestOf(payout));
	}
	return null;
}

/** Broadcasts what neither chain nor mempool holds; null while there is hope. */
async function heldWhenLost(
	{ chain, now }: Paying,
	payout: PayoutRow,
	versions: readonly Version[],
): Promise<string | null> {
	let taken: string | null = null;
	for (const version of versions) {
		const refusal = await broadcastAgain(chain, payout, version);
		if (refusal === null) return null;
		if (refusal instanceof BroadcastRejected && refusal.taken) taken ??= takenText(refusal.message);
	}
	const lost = now - (payout.sentAt ?? now);
	return taken ?? (lost > LOST_MILLISECONDS ? lostText(lost) : null);
}
