/**
 * A payout's network fee in the coins that the payer of it sees (book: contract, "Amounts"): the asset that is paid
 * out. Pure.
 */
import { type AssetId, assetOf } from '../catalog/assets.ts';
import type { Fee } from '../chains/port.ts';
import { decimal, divideUp, plain } from '../money/decimal.ts';
import { fromBaseUnits, toBaseUnits } from '../money/units.ts';
import { type Market, usdPrice } from './market.ts';

/**
 * Base units of `asset`, rounded up: no payout is ever cheaper for the customer than for us. Null where the fee is
 * counted in another coin and one of the two has no price to deal on.
 */
export function feeInAsset(fee: Fee, asset: AssetId, market: Market | null, now: number): bigint | null {
	if (fee.asset === asset) return fee.amount;
	const [paidIn, shownIn] = [assetOf(fee.asset), assetOf(asset)];
	const paidInUsd = market && usdPrice(market, paidIn, now);
	const shownInUsd = market && usdPrice(market, shownIn, now);
	if (!paidInUsd || !shownInUsd) return null;
	const coins = decimal(fromBaseUnits(fee.amount, paidIn.decimals)).times(paidInUsd);
	return toBaseUnits(plain(divideUp(coins, shownInUsd, shownIn.decimals)), shownIn.decimals);
}
