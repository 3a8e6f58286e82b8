/**
 * The base fee of an order leans with the reserves (book: networks, "Prices that lean"): an order that leads a reserve away
 * from its target pays more, one that leads it back pays less. Pure, and in whole basis points: each share is rounded
 * towards zero, so a surcharge in the customer's favour and a discount in the house's. A reserve that a node makes up
 * moves the fee as far as the operator's bounds, and never below zero: no order is dealt better than at the market.
 */
import type { Asset, AssetPair } from '../catalog/assets.ts';
import { type LeanBounds, leanBounds } from '../catalog/settings.ts';
import { lesser, toBaseUnits } from '../money/units.ts';
import { freeReserve } from './limits.ts';
import type { Market } from './market.ts';
import type { FeeBps } from './quote.ts';

/** One reserve's share of the base fee, basis points; below zero it is a discount. */
export interface AssetLean {
	/** Added to orders that are paid out of it. */
	readonly paidOut: number;
	/** Added to orders whose deposits go into it. */
	readonly paidIn: number;
}

const UPRIGHT: AssetLean = { paidOut: 0, paidIn: 0 };

/** `leanBps`: the part of the base fee that the reserves added; below zero what they took off. */
export type LeaningFeeBps = FeeBps & { readonly leanBps: number };

/** The margins of an order that is made now: the base fee as the reserves lean it, and the partner's own. */
export function feesOf(market: Market, pair: AssetPair, afftaxBps: number, now: number): LeaningFeeBps {
	const unleaned = market.settings.baseFeeBps;
	const leanBps = Math.max(-unleaned, pairLean(market, pair, now));
	return { baseFeeBps: unleaned + leanBps, leanBps, afftaxBps };
}

/** The sum of both reserves' shares, within the larger bound of the two. */
function pairLean(market: Market, { from, to }: AssetPair, now: number): number {
	const { leans } = market.settings;
	// Most pairs do not lean, and a quote is to cost nothing more for it.
	if (!leans[from.code] && !leans[to.code]) return 0;
	const bounds = [from, to].map(({ code }) => leanBounds(market.settings, code));
	const sum = assetLean(market, from, now).paidIn + assetLean(market, to, now).paidOut;
	const most = Math.max(...bounds.map(({ surchargeBps }) => surchargeBps));
	const least = -Math.max(...bounds.map(({ discountBps }) => discountBps));
	return Math.min(most, Math.max(least, sum));
}

/** Upright without bounds or a target, and while the network is silent. */
export function assetLean(market: Market, asset: Asset, now: number): AssetLean {
	const { leans, targets } = market.settings;
	const [bounds, wanted] = [leans[asset.code], targets[asset.code]];
	if (!bounds || wanted === undefined) return UPRIGHT;
	const free = freeReserve(market, asset, now);
	const target = toBaseUnits(wanted, asset.decimals);
	if (free === null || target === 0n) return UPRIGHT;
	// From empty to twice the target, beyond which nothing changes any more.
	const excess = lesser(free - target, target);
	return { paidOut: shareOf(-excess, target, bounds), paidIn: shareOf(excess, target, bounds) };
}

/** `away`: base units by which the reserve is on the side that the order leads to; at most the target, either way. */
function shareOf(away: bigint, target: bigint, { surchargeBps, discountBps }: LeanBounds): number {
	return Number((away * BigInt(away > 0n ? surchargeBps : discountBps)) / target);
}
