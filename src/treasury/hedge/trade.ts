/**
 * A trade as the hedger reads it: what a settlement, or taking one back, did to the exposure. Coins of `from` come
 * in and coins of `to` go out; taken back, the other way round. So the amounts of an asset add up to its exposure. Pure.
 */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { type Decimal, decimal, divideDown, plain } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import { storedSum } from '../../platform/d1/exact-sum.ts';
import { isoTime } from '../../platform/time.ts';
import type { TradeRow } from './table.ts';

/** Places of the rate, as many as any asset has. */
const RATE_PLACES = 18;

/** Amounts are coins as plain decimals; a change and an exposure have a sign. */
export interface Trade {
	/** Counts from 1, without a gap. */
	readonly sequence: number;
	readonly orderId: string;
	/** The settlement was taken back, before anything was signed. */
	readonly reversal: boolean;
	readonly bookedAt: string;
	readonly from: AssetId;
	/** The change of the exposure, and the exposure after it. */
	readonly fromAmount: string;
	readonly fromExposure: string;
	readonly to: AssetId;
	readonly toAmount: string;
	readonly toExposure: string;
	/** Coins of `to` for one of `from`, before margins and fees; rounded down. */
	readonly rate: string;
	/** Coins of `to` that the recipient is paid: margins and the network fee are not in it. */
	readonly payout: string;
	/** The worth of the deposit at settlement. */
	readonly usd: string;
}

export function tradeOf(row: TradeRow): Trade {
	const { sequence, orderId, cause, at, fromAsset: from, toAsset: to } = row;
	const [fromAmount, toAmount] = [coins(from, -BigInt(row.fromEntry)), coins(to, -BigInt(row.toEntry))];
	return {
		sequence,
		orderId,
		reversal: cause !== 'settled',
		bookedAt: isoTime(at),
		from,
		fromAmount,
		fromExposure: coins(from, storedSum(row.fromExposure)),
		to,
		toAmount,
		toExposure: coins(to, storedSum(row.toExposure)),
		rate: plain(divideDown(unsigned(toAmount), unsigned(fromAmount), RATE_PLACES)),
		payout: coins(to, BigInt(row.payout)),
		usd: usdOfCents(row.usdCents),
	};
}

const coins = (asset: AssetId, units: bigint): string => fromBaseUnits(units, assetOf(asset).decimals);
const unsigned = (amount: string): Decimal => decimal(amount.replace('-', ''));
