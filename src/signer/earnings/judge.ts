/**
 * Are these earnings of a partner owed, and to this address? The seal, the clock, and the signer's own journal and
 * prices decide. Only the list of orders comes from D1. Pure but for the HMAC of the seal.
 */
import { assetOf } from '../../catalog/assets.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { BPS } from '../../money/bps.ts';
import { type Decimal, decimal, divideDown, plain } from '../../money/decimal.ts';
import { fromBaseUnits, greater, lesser, toBaseUnits } from '../../money/units.ts';
import { earnedSealHolds, payoutSealHolds, payoutTerms } from '../../orders/seal.ts';
import type { Prices } from '../../pricing/prices.ts';
import { convertEarnings, payoutUsableAt, sumsByAsset } from '../../treasury/earnings/conversion.ts';
import { ORDERS_PER_PAYOUT } from '../../treasury/earnings/store.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { EarnedByOrder } from '../journal/earnings.ts';
import type { Claim } from '../payouts/judge.ts';
import type { EarningsClaim } from './claim.ts';

/** How often the payout's own network fee may fit into the one that the books kept back at the settlement. */
const FEE_TIMES = 2n;
/** By how much a price may have moved beyond the tolerance between settlement and signature. */
const MOST_TIMES = 2n;

/** By the signer's own node and prices. */
export interface Proven {
	/** Base units of the deposited asset. */
	readonly received: bigint;
	/** US dollars for one coin of each asset. */
	readonly fromUsd: Decimal;
	readonly toUsd: Decimal;
	/** The worth of the payout's own network fee. */
	readonly feeUsd: Decimal;
	readonly toleranceBps: number;
	/** Is what the books credit sealed (`isEarnedSealed`)? */
	readonly isSealed: boolean;
}

/**
 * Does the payout's seal hold for what the books credit the partner with? False for a payment that only an earlier journal
 * signed, and where the seal or the entry was changed: then the bounds of `earnedWith` decide.
 */
export async function isEarnedSealed({ payout, order, afftaxEntry }: Claim, sealKeys: KeyRing): Promise<boolean> {
	const { id: payoutId, plannedAt, earnedSeal } = payout;
	if (!earnedSeal) return false;
	const terms = { payoutId, orderId: order.id, afftax: -BigInt(afftaxEntry), plannedAt };
	return earnedSealHolds(sealKeys, terms, earnedSeal);
}

/**
 * The partner's earnings once the order's payout is signed, in base units of the payout's asset, rounded down. It is
 * what the books say, if that is sealed: the rate may have moved since it was settled, and the network fee that was kept
 * back may have been any. Only who has SEAL_KEY can seal too much, so it is at most twice the sealed share of what
 * `received` is worth at the signer's own prices, plus the tolerance.
 *
 * Without that seal it is at most the larger of two shares. One is that sealed share itself. The other is that of the
 * rate which the settlement took: the sealed amount, its rounding and twice the payout's own network fee are what that
 * rate left after the margins. A payout may be accepted at a rate above the tolerance, because its network fee makes it
 * smaller; the second share is for it, and never more than twice the first. Who writes D1 changes neither the amount nor
 * the fee: if they take the seal away, they gain the tolerance, or the share of one network fee. Null if that is nothing.
 */
export function earnedWith({ payout, order, afftaxEntry }: Claim, proven: Proven): EarnedByOrder | null {
	const booked = -BigInt(afftaxEntry);
	if (payout.kind !== 'payout' || booked <= 0n) return null;
	const { received, fromUsd, toUsd, feeUsd, toleranceBps, isSealed } = proven;
	const { baseFeeBps, afftaxBps } = order;
	const [from, to] = [assetOf(order.fromAsset), assetOf(order.toAsset)];
	const of = { orderId: order.id, partnerId: order.partnerId, asset: to.code };
	const units = (usd: Decimal, parts: number) =>
		toBaseUnits(plain(divideDown(usd.times(String(afftaxBps)), toUsd.times(String(parts)), to.decimals)), to.decimals);
	const receivedUsd = decimal(fromBaseUnits(received, from.decimals)).times(fromUsd);
	const worth = units(receivedUsd.times(String(BPS + toleranceBps)), BPS * BPS);
	const most = MOST_TIMES * worth;
	if (isSealed) return { ...of, amount: lesser(booked, most) };
	// The network fee is rounded up to the asset's precision, and the amount down.
	const rounding = 2n * 10n ** BigInt(to.decimals - to.precision);
	const amount = decimal(fromBaseUnits(BigInt(payout.amount) + rounding, to.decimals));
	const settledUsd = amount.times(toUsd).plus(feeUsd.times(String(FEE_TIMES)));
	const settled = lesser(units(settledUsd, BPS - baseFeeBps - afftaxBps), most);
	return { ...of, amount: lesser(booked, greater(worth, settled)) };
}

/** Why it must not go to the address of the row; null if it may. */
export async function recipientRefusal(
	{ payout, paidTo }: EarningsClaim,
	sealKeys: KeyRing,
	now: number,
): Promise<SignerRefusal | null> {
	const terms = payoutTerms(paidTo.partnerId, paidTo);
	if (!terms || !(await payoutSealHolds(sealKeys, terms, terms.seal))) return { kind: 'payout-address-not-sealed' };
	const { asset, address, changedAt } = terms;
	if (payout.asset !== asset || payout.network !== assetOf(payout.asset).network)
		return { kind: 'other-asset-than-partner' };
	if (payout.toAddress !== address) return { kind: 'other-recipient-than-partner' };
	if (now < payoutUsableAt(changedAt)) return { kind: 'payout-address-too-new' };
	return null;
}

/** `earned`: the journal's entries of the payout's orders. Null if there is one for each, all of this partner. */
export function ordersRefusal(
	{ paidTo, orderIds }: EarningsClaim,
	earned: readonly EarnedByOrder[],
): SignerRefusal | null {
	if (orderIds.length === 0 || orderIds.length > ORDERS_PER_PAYOUT) return { kind: 'no-orders' };
	// Both sides have one row for each order: the keys of both tables enforce it.
	if (earned.length < orderIds.length) return { kind: 'order-without-earnings' };
	if (earned.some(({ partnerId }) => partnerId !== paidTo.partnerId)) return { kind: 'earnings-of-other-partner' };
	return null;
}

/**
 * The payout's worth at the signer's own prices, US cents, or why it is too much or too little: its orders count as
 * paid whatever it pays. What was earned in the payout's asset counts as it is; the tolerance is only for what has to
 * be converted. Rounded down.
 */
export function valued(
	{ payout }: EarningsClaim,
	earned: readonly EarnedByOrder[],
	prices: Prices,
	{ toleranceBps, now }: { readonly toleranceBps: number; readonly now: number },
): { readonly usdCents: number } | SignerRefusal {
	const sums = sumsByAsset(earned);
	const worth = convertEarnings(sums, assetOf(payout.asset), prices, now);
	if ('unpriced' in worth) return { kind: 'no-fresh-price' };
	const kept = sums.find(({ asset }) => asset === payout.asset)?.amount ?? 0n;
	const within = (parts: number) => kept + ((worth.amount - kept) * BigInt(parts)) / BigInt(BPS);
	// If only the prices have moved since it was planned, the operator plans it again.
	if (BigInt(payout.amount) > within(BPS + toleranceBps)) return { kind: 'above-earnings' };
	if (BigInt(payout.amount) < within(BPS - toleranceBps)) return { kind: 'below-earnings' };
	return { usdCents: worth.usdCents };
}
