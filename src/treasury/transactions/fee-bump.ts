/**
 * Raising the fees of payouts that no block takes. Atomic: the signer keeps a new version before it hands it out, and one
 * batch stores it here beside the older one before it is broadcast; whoever dies in between finds the same version again.
 */
import { eq } from 'drizzle-orm';
import { runBatch } from '../../d1/batches.ts';
import { log } from '../../log.ts';
import { refusalText } from '../signer-refusal.ts';
import { type TransactionRow, transactions } from '../table.ts';
import type { Paying } from './pay.ts';
import { broadcastAgain, followStanding, newestOf, replaceStatements } from './versions.ts';
import { waitsFor } from './wait-reason.ts';

/** Payouts that the signer is asked for at once. */
const PER_BUMP = 20;
/** A payout whose fee cannot be raised now is looked at again after this. */
const REFUSED_MILLISECONDS = 300_000;

/** `slow`: payouts whose newest version the mempool holds and no block. */
export async function raiseFees(paying: Paying, slow: readonly TransactionRow[]): Promise<void> {
	const { db, network, chain, signer, now } = paying;
	const asked = slow.slice(0, PER_BUMP);
	if (asked.length === 0) return;
	const outcomes = await signer.bump(
		network,
		asked.map((payout) => ({ payoutId: payout.id, txId: newestOf(payout).txId })),
	);
	for (const outcome of outcomes) {
		const payout = asked.find(({ id }) => id === outcome.payoutId);
		if (!payout) continue;
		if ('refused' in outcome) {
			const reason = refusalText(outcome.refused);
			log('fee_not_raised', { payoutId: payout.id, orderId: payout.orderId, reason });
			const nextAttemptAt = now + REFUSED_MILLISECONDS;
			const waits = waitsFor(payout, `no block holds it, and its fee is not raised: ${reason}`, now);
			await db
				.update(transactions)
				.set({ nextAttemptAt, ...waits })
				.where(eq(transactions.id, payout.id));
			continue;
		}
		const { replaced } = outcome;
		log('fee_raised', { payoutId: payout.id, orderId: payout.orderId, from: payout.txId, to: replaced.txId });
		await runBatch(db, replaceStatements(db, payout, replaced, now));
		if ((await broadcastAgain(chain, payout, replaced)) !== null) continue;
		const depth = await chain.transactionDepth(replaced.txId);
		if (depth) await followStanding(db, { ...payout, ...replaced }, { version: replaced, depth }, now);
	}
}
