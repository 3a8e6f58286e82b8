/** The worth of owed earnings now. Pure. */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { type Decimal, decimal, usdText, ZERO } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { type Market, usdPrice } from '../../pricing/market.ts';

/** `amount`: base units. Null without a market, or where the price is not fresh. */
export function worth(market: Market | null, asset: AssetId, amount: bigint, now: number): Decimal | null {
	const price = market && usdPrice(market, assetOf(asset), now);
	return price?.times(decimal(fromBaseUnits(amount, assetOf(asset).decimals))) ?? null;
}

/** Null while one of them is not known: a sum without it would look like the whole. */
export function totalUsd(worths: readonly (Decimal | null)[]): string | null {
	const known = worths.filter((usd) => usd !== null);
	return known.length < worths.length ? null : usdText(known.reduce((sum, usd) => sum.plus(usd), ZERO));
}

export const usdOrNull = (usd: Decimal | null): string | null => usd && usdText(usd);
