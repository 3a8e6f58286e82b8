/**
 * Payouts that the signer signed alone, whose earnings a co-signed wallet is to pay. The co-signer judges them as it judges those
 * that it signs: seals, deposits by its own node, its own journal. From then on their deposits are paid for, so the
 * signer's owner gets for a deposit either a payment or its earnings, which are less.
 */
import { decimal } from '../../money/decimal.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { earnedWith, isEarnedSealed } from '../earnings/judge.ts';
import { withoutBytes } from '../overtaken.ts';
import { type Claim, rowsRefusal } from '../payouts/judge.ts';
import { meanwhileRefusal, proofOf } from '../payouts/sign.ts';
import { isRefusal } from '../refusal.ts';
import type { Signing } from '../signing.ts';

/** Another id than the payout's: nothing is signed under that one. */
export const shownId = ({ payout }: Claim): string => `shown ${payout.id}`;

/** Which of these orders nothing is known to have been earned with. */
export function unknownOf({ journal }: Signing, orderIds: readonly string[]): string[] {
	const known = new Set(journal.earnings.earnedWith(orderIds).map(({ orderId }) => orderId));
	return orderIds.filter((orderId) => !known.has(orderId));
}

/** Atomic: the last check and the record are one synchronous turn. Null where it is taken, or was before. */
export async function takePayout(signing: Signing, claim: Claim): Promise<SignerRefusal | null> {
	const { journal, sealKeys, toleranceBps, day, now } = signing;
	const { payout, order } = claim;
	if (unknownOf(signing, [order.id]).length === 0) return null;
	const payIn = signing.signerOn(order.fromNetwork);
	if (payIn === null) return { kind: 'network-not-run', network: order.fromNetwork };
	const refusal = await rowsRefusal(claim, sealKeys, payIn.payInAddress(order.payInIndex));
	if (refusal) return refusal;
	const paid = journal.payoutOf(order.id);
	if (paid !== null) return { kind: 'order-paid', book: payout.id, txId: paid };
	const proof = await proofOf(signing, claim, payIn);
	if (isRefusal(proof)) return proof;
	const { received, fromUsd, toUsd, refs } = proof;
	const isSealed = await isEarnedSealed(claim, sealKeys);
	const earned = earnedWith(claim, { received, fromUsd, toUsd, feeUsd: decimal('0'), toleranceBps, isSealed });
	if (!isSealed || !earned) return { kind: 'order-without-earnings' };
	const meanwhile = meanwhileRefusal(signing, claim, proof);
	if (meanwhile) return meanwhile;
	return journal.record({
		payoutId: shownId(claim),
		orderId: order.id,
		kind: payout.kind,
		network: payout.network,
		// Its bytes are the signer's alone, and take nothing from a wallet of both.
		transaction: withoutBytes(payout.txId ?? ''),
		fromNetwork: order.fromNetwork,
		deposits: refs,
		day,
		usdCents: proof.cents,
		isOthers: true,
		now,
		also: () => journal.earnings.earned(earned),
	});
}
