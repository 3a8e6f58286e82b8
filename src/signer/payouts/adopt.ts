/**
 * Records a payout or refund that an earlier journal has signed and this one does not know, because it was restored from
 * a backup; or a later version of any payment that this one knows. It is judged like one to be signed, but for its worth:
 * what was paid is paid. Only what waits for a person after the restore counts, and only a transaction that the signer's own
 * node shows to pay that recipient that amount: else anyone who controls the API Worker could mark as paid what is owed.
 *
 * Atomic: the last check and the record are one synchronous turn.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { TransactionDepth } from '../../chains/port.ts';
import type { PaidTerms } from '../../chains/signing-port.ts';
import type { Signed } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { usdValue } from '../../treasury/sweeps/rules.ts';
import { earnedWith, isEarnedSealed } from '../earnings/judge.ts';
import type { Signature } from '../journal/journal.ts';
import { NO_BYTES, recordForgotten, withoutBytes } from '../overtaken.ts';
import { isRefusal } from '../refusal.ts';
import type { Signing } from '../signing.ts';
import { type Claim, rowsRefusal } from './judge.ts';
import { meanwhileRefusal, proofOf } from './sign.ts';

export async function adoptPayment(
	signing: Signing,
	payoutId: string,
	claim: Claim | undefined,
	txId: string,
): Promise<Signed | SignerRefusal> {
	const { network, journal, sealKeys, toleranceBps, day, now } = signing;
	const before = journal.signatureOf(payoutId);
	if (before) return adoptVersion(signing, before, txId);
	if (!claim) return { kind: 'no-such-transaction' };
	const { payout, order } = claim;
	if (payout.network !== network) return { kind: 'other-network' };
	const payIn = signing.signerOn(order.fromNetwork);
	if (payIn === null) return { kind: 'network-not-run', network: order.fromNetwork };
	const refusal = await rowsRefusal(claim, sealKeys, payIn.payInAddress(order.payInIndex));
	if (refusal) return refusal;
	const depth = await signing.chain.transactionDepth(txId);
	const terms = { asset: payout.asset, to: payout.toAddress, amount: BigInt(payout.amount) };
	if (!signing.restored.orderRefusal(order)) return { kind: 'order-not-restored', orderId: order.id };
	const notForgotten = await forgottenRefusal(signing, txId, depth, terms);
	if (notForgotten) return notForgotten;
	const proof = await proofOf(signing, claim, payIn);
	if (isRefusal(proof)) return proof;
	const { received, cents, fromUsd, toUsd, nativeUsd } = proof;
	// The prices may have moved since it was settled; its sealed amount shows the rate of that time.
	const feeUsd = usdValue(depth?.fee ?? 0n, nativeAsset(network), nativeUsd);
	const isSealed = await isEarnedSealed(claim, sealKeys);
	const earned = earnedWith(claim, { received, fromUsd, toUsd, feeUsd, toleranceBps, isSealed });
	const overtaken = meanwhileRefusal(signing, claim, proof);
	if (overtaken) return overtaken;
	if (journal.isSigned(txId)) return { kind: 'signed-for-another', txId };
	const recorded = journal.record({
		payoutId: payout.id,
		orderId: order.id,
		kind: payout.kind,
		network,
		transaction: withoutBytes(txId),
		fromNetwork: order.fromNetwork,
		deposits: proof.refs,
		day,
		usdCents: cents,
		now,
		also: () => earned && journal.earnings.earned(earned),
	});
	return recorded ?? { raw: NO_BYTES, txId };
}

/** Why the chain does not show it as that payment, or the journal knows it; null where it is one that was forgotten. */
export async function forgottenRefusal(
	{ journal, signer }: Signing,
	txId: string,
	depth: TransactionDepth | null,
	terms: PaidTerms,
): Promise<SignerRefusal | null> {
	if (!depth || depth.reverted || depth.confirmations < 1) return { kind: 'not-on-chain', txId };
	if (!(await signer.hasPaid(txId, terms))) return { kind: 'not-that-payment', txId };
	return journal.isSigned(txId) ? { kind: 'signed-for-another', txId } : null;
}

/**
 * A later version of what this journal has signed, for an order or for nobody, while the chain has none that it knows.
 */
async function adoptVersion(
	signing: Signing,
	{ payoutId, orderId, network, raw, txId: first }: Signature,
	txId: string,
): Promise<Signed | SignerRefusal> {
	const { chain, journal, restored, now } = signing;
	if (network !== signing.network) return { kind: 'other-network' };
	const versions = journal.versions.of(payoutId);
	const known = [{ raw, txId: first }, ...versions].find((version) => version.txId === txId);
	if (known) return known;
	for (const version of versions) {
		const depth = await chain.transactionDepth(version.txId);
		if (depth && !depth.reverted) return { kind: 'order-paid', book: payoutId, txId: version.txId };
	}
	const signed = journal.versions.paymentOf(payoutId);
	// Without its versions nothing says whom it paid.
	if (!signed) return { kind: 'order-paid', book: payoutId, txId: first };
	if (!restored.versionRefusal(orderId, journal.versions.newestAt(payoutId)))
		return { kind: 'order-not-restored', orderId: orderId || payoutId };
	const depth = await chain.transactionDepth(txId);
	const refusal = await forgottenRefusal(signing, txId, depth, signed.payment);
	if (refusal) return refusal;
	recordForgotten(signing, payoutId, txId, now);
	return { raw: NO_BYTES, txId };
}
