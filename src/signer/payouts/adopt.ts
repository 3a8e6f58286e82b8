/**
 * Records a payout or refund that an earlier journal has signed and this one does not know, because it was restored from
 * a backup. It is judged like one to be signed, but for its worth: what was paid is paid. Only an order that waits for a
 * person after the restore counts, and only a transaction that the signer's own node shows to pay that recipient that
 * amount: else anyone who controls the API Worker could mark as paid what is owed.
 *
 * Atomic: the last check and the record are one synchronous turn.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import { usdCents } from '../../money/decimal.ts';
import type { Signed } from '../../treasury/signer-port.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { usdValue } from '../../treasury/sweeps/rules.ts';
import { earnedWith, isEarnedSealed } from '../earnings/judge.ts';
import { isRefusal } from '../refusal.ts';
import type { Signing } from '../signing.ts';
import { type Claim, depositRefs, rowsRefusal } from './judge.ts';
import { areFinal, claimsAt, meanwhileRefusal, totalOf } from './sign.ts';

/** Nothing of ours has these bytes; the chain has them. */
const NO_BYTES = '';

export async function adoptPayment(
	signing: Signing,
	claim: Claim | undefined,
	txId: string,
): Promise<Signed | SignerRefusal> {
	if (!claim) return { kind: 'no-such-transaction' };
	const { network, journal, prices, sealKeys, toleranceBps, day, now } = signing;
	const { payout, order } = claim;
	const before = journal.signatureOf(payout.id);
	if (before) return before.txId === txId ? before : { kind: 'order-paid', book: payout.id, txId: before.txId };
	if (payout.network !== network) return { kind: 'other-network' };
	const payIn = signing.signerOn(order.fromNetwork);
	if (payIn === null) return { kind: 'network-not-run', network: order.fromNetwork };
	const refusal = await rowsRefusal(claim, sealKeys, payIn.payInAddress(order.payInIndex));
	if (refusal) return refusal;
	if (!signing.restored.orderRefusal(order)) return { kind: 'order-not-restored', orderId: order.id };
	const depth = await signing.chain.transactionDepth(txId);
	if (!depth || depth.reverted || depth.confirmations < 1) return { kind: 'not-on-chain', txId };
	const terms = { asset: payout.asset, to: payout.toAddress, amount: BigInt(payout.amount) };
	if (!(await signing.signer.hasPaid(txId, terms))) return { kind: 'not-that-payment', txId };
	if (journal.isSigned(txId)) return { kind: 'signed-for-another', txId };
	const refs = depositRefs(claim.deposits);
	const claimedBefore = claimsAt(signing, claim, refs);
	if (isRefusal(claimedBefore)) return claimedBefore;
	const usd = await prices.usd(order.fromAsset, order.toAsset, nativeAsset(network));
	if (isRefusal(usd)) return usd;
	const [fromUsd, toUsd, nativeUsd] = usd;
	const proof = { payIn, refs, claimedBefore };
	const received = totalOf(refs);
	const cents = usdCents(usdValue(received, order.fromAsset, fromUsd));
	if (!(await areFinal(signing, claim, proof, cents))) return { kind: 'deposits-not-final' };
	// The prices may have moved since it was settled; its sealed amount shows the rate of that time.
	const feeUsd = usdValue(depth.fee ?? 0n, nativeAsset(network), nativeUsd);
	const isSealed = await isEarnedSealed(claim, sealKeys);
	const earned = earnedWith(claim, { received, fromUsd, toUsd, feeUsd, toleranceBps, isSealed });
	const overtaken = meanwhileRefusal(signing, claim, proof);
	if (overtaken) return overtaken;
	if (journal.isSigned(txId)) return { kind: 'signed-for-another', txId };
	const transaction = { raw: NO_BYTES, txId, spends: [], fee: 0n };
	const recorded = journal.record({
		...{ payoutId: payout.id, orderId: order.id, kind: payout.kind, network, transaction, payment: null },
		...{ fromNetwork: order.fromNetwork, deposits: refs, day, usdCents: cents, now },
		also: () => earned && journal.earnings.earned(earned),
	});
	return recorded ?? { raw: NO_BYTES, txId };
}
