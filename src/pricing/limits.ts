/**
 * Limits of one order beside the pair's settings: what it costs the house is at most a share of it, and the hot wallet
 * must be able to pay it. Pure.
 */
import { type Asset, type AssetId, assetOf, nativeAsset } from '../catalog/assets.ts';
import { BPS } from '../money/bps.ts';
import { type Decimal, decimal, divideUp, ZERO } from '../money/decimal.ts';
import { fromBaseUnits } from '../money/units.ts';
import { isPriced, lastPrice, type Market, networkReport } from './market.ts';

/** Decimals of US dollars that a minimum is reckoned in. */
const USD_DECIMALS = 8;

/** The bounds of a pair's orders besides the pair's settings, as texts of base units. */
export interface LimitFacts {
	/** Native coin of the deposit's network: what one deposit costs to bring to the hot wallet. */
	readonly deposit: string;
	/** Native coin of the payout's network: what a recipient may cost beyond a plain transfer. */
	readonly recipient: string;
	/** Destination asset: what the hot wallet holds and owes to no other order. Null where the operator sets no such bound. */
	readonly free: string | null;
}

/** Null while one of them is not known: the caller answers 11. */
export function limitFacts(market: Market, from: Asset, to: Asset, now: number): LimitFacts | null {
	const [paidIn, paidOut] = [costsOf(market, from), costsOf(market, to)];
	if (!paidIn || !paidOut) return null;
	const { deposit } = paidIn;
	const { recipient } = paidOut;
	const isKnown = (cost: string, asset: Asset) => cost === '0' || isPriced(market, assetOf(nativeOf(asset)), now);
	if (!isKnown(deposit, from) || !isKnown(recipient, to)) return null;
	if (market.settings.beyondReserve.includes(to.code)) return { deposit, recipient, free: null };
	const free = freeReserve(market, to, now);
	return free === null ? null : { deposit, recipient, free: free.toString() };
}

const costsOf = ({ networks }: Market, { network, code }: Asset) => networks[network]?.costs[code];

const nativeOf = ({ network }: Asset): AssetId => nativeAsset(network);

/** Base units that the hot wallet holds and owes to no other order; null while the network does not report them. */
export function freeReserve(market: Market, { code, network }: Asset, now: number): bigint | null {
	const report = networkReport(market, network, now);
	const held = report?.reserves[code];
	if (!report || held === undefined) return null;
	const free = BigInt(held) - BigInt(report.owed[code] ?? '0');
	return free > 0n ? free : 0n;
}

/** The cost of one order to the house beyond the network fee that its quote charges, US dollars. */
export function houseCostUsd(market: Market, from: Asset, to: Asset, { deposit, recipient }: LimitFacts): Decimal {
	return nativeUsd(market, from, deposit).plus(nativeUsd(market, to, recipient));
}

function nativeUsd(market: Market, asset: Asset, units: string): Decimal {
	if (units === '0') return ZERO;
	const native = assetOf(nativeOf(asset));
	return decimal(fromBaseUnits(BigInt(units), native.decimals)).times(lastPrice(market, native));
}

/** The deposit, US dollars up, of which `costUsd` is `shareBps`. A third is the largest share (`treasury/sweeps/rules.ts`). */
export const leastUsd = (costUsd: Decimal, shareBps: number): Decimal =>
	divideUp(costUsd.times(String(BPS)), decimal(String(shareBps)), USD_DECIMALS);
