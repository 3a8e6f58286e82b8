/** The worth of a network's hot wallet. Pure. */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { decimal, usdCents } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { type Market, usdPrice } from '../../pricing/market.ts';

/** Whole cents, each asset's worth rounded down; null where the network said nothing, or an asset that it holds has no fresh price. */
export function reserveUsdCents(market: Market, name: NetworkName, now: number): number | null {
	const reserves = Object.entries(market.networks[name]?.reserves ?? {}) as [AssetId, string][];
	if (reserves.length === 0) return null;
	let sum = 0;
	for (const [code, units] of reserves) {
		const asset = assetOf(code);
		const price = usdPrice(market, asset, now);
		if (price) sum += usdCents(price.times(decimal(fromBaseUnits(BigInt(units), asset.decimals))));
		else if (BigInt(units) > 0n) return null;
	}
	return sum;
}
