/**
 * Judges and signs the payout or a refund of an order. The rows must carry valid seals, the signer's own node must show
 * the deposits as final, its own prices must say that they are worth the payout, and its own journal must show that
 * nothing was paid for them before.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import { deepMilliseconds, hasSteps } from '../../catalog/confirmations.ts';
import { isFinal } from '../../chains/finality.ts';
import type { DepositRef, Depth } from '../../chains/port.ts';
import type { ChainSigner } from '../../chains/signing-port.ts';
import { type Decimal, usdCents } from '../../money/decimal.ts';
import { sumOf } from '../../money/units.ts';
import { termsDigest } from '../../orders/seal.ts';
import type { Signed } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { usdValue } from '../../treasury/sweeps/rules.ts';
import { earnedWith, isEarnedSealed } from '../earnings/judge.ts';
import { isRefusal } from '../refusal.ts';
import { feeCents, type Signing, signPayment } from '../signing.ts';
import { type Claim, depositRefs, isAboveValue, rowsRefusal } from './judge.ts';

export async function signOrderPayment(signing: Signing, claim: Claim): Promise<Signed | SignerRefusal> {
	const { payout, order } = claim;
	// By the signer's own configuration: beside a main chain neither a sandbox nor a test chain runs.
	const payIn = signing.signerOn(order.fromNetwork);
	if (payIn === null) return { kind: 'network-not-run', network: order.fromNetwork };
	const refusal = await rowsRefusal(claim, signing.sealKeys, payIn.payInAddress(order.payInIndex));
	if (refusal) return refusal;
	const doubted = signing.restored.orderRefusal(order);
	if (doubted) return doubted;
	const paid = payout.kind === 'payout' ? signing.journal.payoutOf(order.id) : null;
	if (paid !== null) return { kind: 'order-paid', book: payout.id, txId: paid };
	const proof = await proofOf(signing, claim, payIn);
	if (isRefusal(proof)) return proof;
	const { received, cents, fromUsd, toUsd, nativeUsd } = proof;
	const { network, journal, prices, sealKeys, toleranceBps } = signing;
	if (isAboveValue(claim, received, { fromUsd, toUsd }, toleranceBps)) {
		// Perhaps our own prices are too old: the next signature waits for new ones.
		prices.doubt();
		return { kind: 'above-deposit-value' };
	}
	const isSealed = await isEarnedSealed(claim, sealKeys);
	return signPayment(signing, {
		row: payout,
		orderId: order.id,
		asset: payout.asset,
		fromNetwork: order.fromNetwork,
		deposits: proof.refs,
		purpose: payout.kind,
		// The fee, and the rent that may go to the recipient, leave the wallet as well.
		cents: (fee) => cents + feeCents(network, fee, nativeUsd),
		overtaken: () => meanwhileRefusal(signing, claim, proof),
		also: (_, fee) => {
			const feeUsd = usdValue(fee, nativeAsset(network), nativeUsd);
			const earned = earnedWith(claim, { received, fromUsd, toUsd, feeUsd, toleranceBps, isSealed });
			if (earned) journal.earnings.earned(earned);
		},
	});
}

/** The deposits of a claim, as the signer's own node and prices have them. */
interface Proof {
	/** The deposits to pay for, and those at the address that were paid for before. */
	readonly refs: readonly DepositRef[];
	readonly claimedBefore: readonly DepositRef[];
	/** `termsDigest` of the order. */
	readonly digest: string;
	/** Base units of those to pay for, and their value in US cents. */
	readonly received: bigint;
	readonly cents: number;
	/** US dollars for one coin of the deposits' asset, of the order's destination, and of the payment's network. */
	readonly fromUsd: Decimal;
	readonly toUsd: Decimal;
	readonly nativeUsd: Decimal;
}

/**
 * Proves that the deposits are there, that nothing else was paid for them, and that they are deep enough. Those that were
 * paid for before are queried with the new ones: where a balance proves a deposit, one coin must not prove two deposits.
 * The value decides together with what was signed lately for others how many confirmations they need, so that splitting a
 * payment over orders wins nothing. `payIn`: the wallets of the network where the deposits are.
 */
export async function proofOf(signing: Signing, claim: Claim, payIn: ChainSigner): Promise<Proof | SignerRefusal> {
	const { journal, asked, now } = signing;
	const { order, raised } = claim;
	const { fromNetwork, fromAsset, toAsset, payInAddress } = order;
	const refs = depositRefs(claim.deposits);
	const digest = await termsDigest(order);
	const claimedBefore = claimsAt(signing, claim, { refs, digest });
	if (isRefusal(claimedBefore)) return claimedBefore;
	const usd = await signing.prices.usd(fromAsset, toAsset, nativeAsset(signing.network));
	if (isRefusal(usd)) return usd;
	const [fromUsd, toUsd, nativeUsd] = usd;
	const received = sumOf(refs);
	const cents = usdCents(usdValue(received, fromAsset, fromUsd));
	const isDeep = (depth: Depth) =>
		[asked(fromNetwork), raised].every((floor) => {
			const lately = hasSteps(fromNetwork, floor)
				? journal.days.signedForDepositsOn(fromNetwork, now - deepMilliseconds(fromNetwork, floor))
				: 0;
			return isFinal(fromNetwork, depth, cents + lately, floor);
		});
	const all = [...claimedBefore, ...refs];
	const final = await payIn.finalAmount(all, isDeep, journal.sweeps.sweepsAt(fromNetwork, payInAddress));
	if (final < sumOf(all)) return { kind: 'deposits-not-final' };
	return { refs, claimedBefore, digest, received, cents, fromUsd, toUsd, nativeUsd };
}

/** Deposits that another network paid for meanwhile were not in the query, so one balance could have proven both. */
export function meanwhileRefusal(signing: Signing, claim: Claim, proof: Proof): SignerRefusal | null {
	const claims = claimsAt(signing, claim, proof);
	if (isRefusal(claims)) return claims;
	return claims.length === proof.claimedBefore.length ? null : { kind: 'deposits-paid-meanwhile' };
}

/**
 * The deposits at the order's address that payouts and refunds have paid for already. Only those of its asset, because
 * amounts of two assets must never be added up. A refusal if the address, or one of `refs`, belongs to something else.
 */
function claimsAt(
	{ journal }: Signing,
	claim: Claim,
	{ refs, digest }: Pick<Proof, 'refs' | 'digest'>,
): DepositRef[] | SignerRefusal {
	const { payout, order } = claim;
	const { fromNetwork, fromAsset, payInAddress } = order;
	if (journal.addressOrders.isOfAnother(order.id, fromNetwork, payInAddress)) return { kind: 'address-not-of-order' };
	if (journal.addressOrders.isPromisedOtherwise(fromNetwork, payInAddress, digest))
		return { kind: 'promised-otherwise' };
	const claims = journal.claimsAt(fromNetwork, payInAddress);
	const isNamed = ({ txId, position }: { readonly txId: string; readonly position: string }): boolean =>
		refs.some((ref) => txId === ref.txId && position === ref.position);
	if (!claims.some(isNamed)) return claims.filter(({ asset }) => asset === fromAsset);
	const payments = journal.addressOrders.paymentsFor(fromNetwork, payInAddress);
	const txId = payments.find(({ deposits }) => deposits.some(isNamed))?.txId ?? '';
	return { kind: 'deposits-paid', book: payout.id, txId };
}
