/**
 * Converts earnings in several assets to the asset that the partner is paid in, at the current market rate. An amount
 * in that same asset stays as it is. Everything else is converted without a margin and rounded down once. Pure.
 */
import { type Asset, type AssetId, assetOf } from '../../catalog/assets.ts';
import { type Decimal, decimal, divideDown, plain, usdCents, ZERO } from '../../money/decimal.ts';
import { amountsByAsset, fromBaseUnits, toBaseUnits } from '../../money/units.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { type Prices, priceAt } from '../../pricing/prices.ts';

/** How long a changed address waits before it is paid to. */
const ADDRESS_WAITS_MILLISECONDS = DAY_MILLISECONDS;

/** When an address that was set at `changedAt` may be paid to. Both in Unix milliseconds. */
export const payoutUsableAt = (changedAt: number): number => changedAt + ADDRESS_WAITS_MILLISECONDS;

export interface Earned {
	readonly asset: AssetId;
	readonly amount: bigint;
}

type Converted =
	| { readonly amount: bigint; readonly usdCents: number }
	/** An asset whose price is too old to deal on. */
	| { readonly unpriced: AssetId };

/** `prices`: RateBook's to plan a payout, the signer's own to judge it. */
export function convertEarnings(earned: readonly Earned[], to: Asset, prices: Prices, now: number): Converted {
	const price = usdPrice(prices, to, now);
	if (!price) return { unpriced: to.code };
	let kept = 0n;
	let othersUsd = ZERO;
	for (const { asset, amount } of earned) {
		const usd = usdPrice(prices, assetOf(asset), now);
		if (!usd) return { unpriced: asset };
		if (asset === to.code) kept += amount;
		else othersUsd = othersUsd.plus(usd.times(decimal(fromBaseUnits(amount, assetOf(asset).decimals))));
	}
	const converted = toBaseUnits(plain(divideDown(othersUsd, price, to.decimals)), to.decimals);
	const keptUsd = price.times(decimal(fromBaseUnits(kept, to.decimals)));
	return { amount: kept + converted, usdCents: usdCents(othersUsd.plus(keptUsd)) };
}

function usdPrice(prices: Prices, asset: Asset, now: number): Decimal | null {
	const usd = priceAt(prices, asset.coin, now);
	return usd === null ? null : decimal(usd);
}

/** The sum per asset. */
export const sumsByAsset = (earned: readonly Earned[]): Earned[] =>
	[...amountsByAsset(earned)].map(([asset, amount]) => ({ asset, amount }));
