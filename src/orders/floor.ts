/**
 * The floor under an order's rate: the least that its own amount may bring (book: contract, "A floor under the rate").
 * Pure. The settlement and the signer judge by the same rule.
 */
import { type Asset, assetOf } from '../catalog/assets.ts';
import type { Amount } from '../money/amount.ts';
import { BPS } from '../money/bps.ts';
import { type Decimal, decimal, divideUp } from '../money/decimal.ts';
import { greater, toBaseUnits } from '../money/units.ts';
import type { OrderRow } from './table.ts';

/** As a create asks for it: an amount of the destination asset, or how far below the quote in basis points. */
export type Floor = { readonly amount: Amount } | { readonly slippageBps: number };

/** The farthest that a floor may lie below its quote. */
export const MAX_SLIPPAGE_BPS = 5_000;

/** `quoted`: the payout that the order is quoted. A share of it is rounded up to the precision, in the payer's favour. */
export const floorOf = (floor: Floor, quoted: Decimal, { precision }: Asset): Decimal =>
	'amount' in floor
		? floor.amount.value
		: divideUp(quoted.times(String(BPS - floor.slippageBps)), decimal(String(BPS)), precision);

/**
 * Is `owed` less than the floor, for the `received` of an order? Up to the order's own amount the floor is what it says;
 * above it grows in proportion, so that what is paid too much has the same rate under it. Both in base units. Exact,
 * nothing is rounded.
 * @throws RangeError where a sealed amount is no decimal of its asset
 */
export function isBelowFloor(
	{
		fromAsset,
		toAsset,
		fromAmount,
		minToAmount,
	}: Pick<OrderRow, 'fromAsset' | 'toAsset' | 'fromAmount' | 'minToAmount'>,
	received: bigint,
	owed: bigint,
): boolean {
	if (minToAmount === null) return false;
	const own = toBaseUnits(fromAmount, assetOf(fromAsset).decimals);
	const floor = toBaseUnits(minToAmount, assetOf(toAsset).decimals);
	return owed * own < floor * greater(own, received);
}

/** Does an order show a payout that is less than its floor? By its own figures, of which what is paid too much is no part. */
export const missesFloor = ({ toAmount, minToAmount }: Pick<OrderRow, 'toAmount' | 'minToAmount'>): boolean =>
	minToAmount !== null && decimal(toAmount).lt(minToAmount);
