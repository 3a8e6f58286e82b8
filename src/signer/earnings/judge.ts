/**
 * Are these earnings of a partner owed, and to this address? Decided from the seal, the clock and the signer's own
 * journal and prices: of D1's rows nothing is believed but which orders are named. Pure but for the seal's HMAC.
 */
import { assetOf } from '../../catalog/assets.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { type Decimal, decimal, divideDown, plain } from '../../money/decimal.ts';
import { fromBaseUnits, toBaseUnits } from '../../money/units.ts';
import { payoutSealHolds } from '../../orders/seal.ts';
import type { Prices } from '../../pricing/prices.ts';
import { convertEarnings, payoutUsableAt, sumsByAsset } from '../../treasury/earnings/conversion.ts';
import { ORDERS_PER_PAYOUT } from '../../treasury/earnings/store.ts';
import type { EarnedByOrder } from '../journal/earnings.ts';
import type { Claim } from '../payouts/judge.ts';
import type { EarningsClaim } from './claim.ts';

const BPS = 10_000;

/**
 * What the partner earns once the order's payout is signed, in its asset's base units, down: what the books say, but no
 * more than his sealed share of what `received` is worth at the signer's own prices, the tolerance put on. Null of nothing.
 */
export function earnedWith(
	{ payout, order, afftaxEntry }: Claim,
	received: bigint,
	fromUsd: Decimal,
	toUsd: Decimal,
	toleranceBps: number,
): EarnedByOrder | null {
	const [from, to] = [assetOf(order.fromAsset), assetOf(order.toAsset)];
	const shareUsd = decimal(fromBaseUnits(received, from.decimals))
		.times(fromUsd)
		.times(String(order.afftaxBps * (BPS + toleranceBps)));
	const share = divideDown(shareUsd, toUsd.times(String(BPS * BPS)), to.decimals);
	const [booked, most] = [-BigInt(afftaxEntry), toBaseUnits(plain(share), to.decimals)];
	if (payout.kind !== 'payout' || booked <= 0n) return null;
	return { orderId: order.id, partnerId: order.partnerId, asset: to.code, amount: booked < most ? booked : most };
}

export interface EarningsRefusal {
	readonly refused: string;
	/** Time alone may heal it. */
	readonly again: boolean;
}

/** Why it must not go where it is said to go; null where it may. */
export async function recipientRefusal(
	{ payout, paidTo }: EarningsClaim,
	sealKeys: KeyRing,
	now: number,
): Promise<EarningsRefusal | null> {
	const { partnerId, payoutAsset: asset, payoutAddress: address, payoutAddressChangedAt, payoutSeal } = paidTo;
	if (asset === null || address === null || payoutAddressChangedAt === null || payoutSeal === null)
		return { refused: 'the payout address has no seal: set it again with partner update', again: false };
	const terms = { partnerId, asset, address, changedAt: payoutAddressChangedAt };
	if (!(await payoutSealHolds(sealKeys, terms, payoutSeal)))
		return { refused: 'the seal of the payout address is broken', again: false };
	if (payout.asset !== asset || payout.network !== assetOf(payout.asset).network)
		return { refused: 'another asset than the partner is paid in', again: false };
	if (payout.toAddress !== address) return { refused: 'another recipient than the partner', again: false };
	if (now < payoutUsableAt(payoutAddressChangedAt))
		return { refused: 'the payout address was changed less than 24 h ago', again: false };
	return null;
}

/** `earned`: what the journal knows of the orders that the payout names. Null where all of it is the partner's. */
export function ordersRefusal(
	{ paidTo, orderIds }: EarningsClaim,
	earned: readonly EarnedByOrder[],
): EarningsRefusal | null {
	if (orderIds.length === 0) return { refused: 'no orders', again: false };
	if (orderIds.length > ORDERS_PER_PAYOUT) return { refused: 'more orders than one payout pays for', again: false };
	// One row for each order, on both sides: the keys of both tables say so.
	if (earned.length < orderIds.length)
		return { refused: 'an order that the signer has no earnings on record for', again: false };
	if (earned.some(({ partnerId }) => partnerId !== paidTo.partnerId))
		return { refused: 'earnings of another partner', again: false };
	return null;
}

/**
 * What the payout is worth at the signer's own prices, in cents, or why it is too much: what was earned in the payout's
 * asset counts as it is, only what has to be converted gets the tolerance.
 */
export function valued(
	{ payout }: EarningsClaim,
	earned: readonly EarnedByOrder[],
	prices: Prices,
	toleranceBps: number,
	now: number,
): { readonly usdCents: number } | EarningsRefusal {
	const sums = sumsByAsset(earned);
	const worth = convertEarnings(sums, assetOf(payout.asset), prices, now);
	if ('unpriced' in worth) return { refused: 'no fresh price', again: true };
	const kept = sums.find(({ asset }) => asset === payout.asset)?.amount ?? 0n;
	const most = kept + ((worth.amount - kept) * BigInt(BPS + toleranceBps)) / BigInt(BPS);
	// Where it is the prices that have moved since it was planned, the operator plans it anew.
	if (BigInt(payout.amount) > most) return { refused: 'amount above what was earned', again: false };
	return { usdCents: worth.usdCents };
}
