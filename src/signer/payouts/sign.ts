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
import { usdCents } from '../../money/decimal.ts';
import { sumOf } from '../../money/units.ts';
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
	const refs = depositRefs(claim.deposits);
	const claimedBefore = claimsAt(signing, claim, refs);
	if (isRefusal(claimedBefore)) return claimedBefore;
	return signOwed(signing, claim, { payIn, refs, claimedBefore });
}

interface Proof {
	/** The wallets of the network where the deposits are. */
	readonly payIn: ChainSigner;
	/** The deposits to pay for, and those at the address that were paid for before. */
	readonly refs: readonly DepositRef[];
	readonly claimedBefore: readonly DepositRef[];
}

async function signOwed(signing: Signing, claim: Claim, proof: Proof): Promise<Signed | SignerRefusal> {
	const { network, journal, prices, toleranceBps } = signing;
	const { payout, order } = claim;
	const usd = await prices.usd(order.fromAsset, order.toAsset, nativeAsset(network));
	if (isRefusal(usd)) return usd;
	const [fromUsd, toUsd, nativeUsd] = usd;
	const received = sumOf(proof.refs);
	const cents = usdCents(usdValue(received, order.fromAsset, fromUsd));
	if (!(await areFinal(signing, claim, proof, cents))) return { kind: 'deposits-not-final' };
	if (isAboveValue(claim, received, { fromUsd, toUsd }, toleranceBps)) {
		// Perhaps our own prices are too old: the next signature waits for new ones.
		prices.doubt();
		return { kind: 'above-deposit-value' };
	}
	const isSealed = await isEarnedSealed(claim, signing.sealKeys);
	const earnedAt = (fee: bigint) => {
		const feeUsd = usdValue(fee, nativeAsset(network), nativeUsd);
		return earnedWith(claim, { received, fromUsd, toUsd, feeUsd, toleranceBps, isSealed });
	};
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
			const earned = earnedAt(fee);
			if (earned) journal.earnings.earned(earned);
		},
	});
}

/**
 * Deposits that were paid for before are queried with the new ones: where a balance proves a deposit, one coin must not
 * prove two deposits. `cents`: what the deposits are worth. With what was signed lately for others it decides how many
 * confirmations they need, so that splitting a payment over orders wins nothing.
 */
export async function areFinal(
	{ journal, asked, now }: Signing,
	{ order, raised }: Claim,
	{ payIn, refs, claimedBefore }: Proof,
	cents: number,
): Promise<boolean> {
	const network = order.fromNetwork;
	const floors = [asked(network), raised];
	const all = [...claimedBefore, ...refs];
	const sweeps = journal.sweeps.sweepsAt(order.fromNetwork, order.payInAddress);
	const isDeep = (depth: Depth) =>
		floors.every((floor) => {
			const lately = hasSteps(network, floor)
				? journal.signedForDepositsOn(network, now - deepMilliseconds(network, floor))
				: 0;
			return isFinal(network, depth, cents + lately, floor);
		});
	return (await payIn.finalAmount(all, isDeep, sweeps)) >= sumOf(all);
}

/** Deposits that another network paid for meanwhile were not in the query, so one balance could have proven both. */
export function meanwhileRefusal(signing: Signing, claim: Claim, { refs, claimedBefore }: Proof): SignerRefusal | null {
	const claims = claimsAt(signing, claim, refs);
	if (isRefusal(claims)) return claims;
	return claims.length === claimedBefore.length ? null : { kind: 'deposits-paid-meanwhile' };
}

/**
 * The deposits at the order's address that payouts and refunds have paid for already. Only those of its asset, because
 * amounts of two assets must never be added up. A refusal if the address, or one of `refs`, belongs to something else.
 */
export function claimsAt(
	{ journal }: Signing,
	claim: Claim,
	refs: readonly DepositRef[],
): DepositRef[] | SignerRefusal {
	const { payout, order } = claim;
	const { fromNetwork, fromAsset, payInAddress } = order;
	if (journal.addressOrders.isOfAnother(order.id, fromNetwork, payInAddress))
		return { kind: 'pay-in-address-of-other-order' };
	const claims = journal.claimsAt(fromNetwork, payInAddress);
	const isNamed = ({ txId, position }: { readonly txId: string; readonly position: string }): boolean =>
		refs.some((ref) => txId === ref.txId && position === ref.position);
	if (!claims.some(isNamed)) return claims.filter(({ asset }) => asset === fromAsset);
	const payments = journal.addressOrders.paymentsFor(fromNetwork, payInAddress);
	const txId = payments.find(({ deposits }) => deposits.some(isNamed))?.txId ?? '';
	return { kind: 'deposits-paid', book: payout.id, txId };
}
