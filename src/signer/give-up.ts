/** Gives up a payment for ever: the signer's part of it, and the co-signer's. */
import type { SignerRefusal } from '../treasury/signer-refusal.ts';
import type { Journal } from './journal/journal.ts';
import type { Volumes } from './journal/volumes.ts';

interface GivingUp {
	readonly volumes: Volumes;
	/** @throws TypeError where nothing may be written to it now */
	readonly journal: () => Journal;
}

/** As `SignerService.giveUp`, by this journal alone. */
export async function giveUp(
	{ volumes, journal: writable }: GivingUp,
	payoutId: string,
	orderId: string | null,
): Promise<SignerRefusal | null> {
	const stopped = await volumes.bring([`payout ${payoutId}`, `order ${orderId ?? ''}`]);
	if (stopped) return stopped;
	const journal = writable();
	if (journal.giveUp(payoutId, orderId, Date.now())) return null;
	const txId = orderId === null || journal.signatureOf(payoutId) ? null : journal.payoutOf(orderId);
	return txId === null ? { kind: 'signed-already' } : { kind: 'order-paid', book: payoutId, txId };
}
