/**
 * The market snapshot: everything a quote needs, in one value, so that quoting touches no storage. RateBook builds it;
 * isolates keep it. Pure.
 */
import type { Asset, AssetId, AssetPair } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { Settings } from '../catalog/settings.ts';
import { type Decimal, decimal } from '../money/decimal.ts';
import { type Prices, priceAt } from './prices.ts';

/** The cost of bringing one deposit to the hot wallet, and what a recipient may cost beyond a plain transfer. */
export interface HouseCosts {
	readonly deposit: string;
	readonly recipient: string;
}

/** The last report of a ChainAgent on its network. */
export interface NetworkReport {
	/** Unix milliseconds of the last poll that worked. */
	readonly at: number;
	/** Network fee of one payout now, base units as text, per asset. */
	readonly fees: Readonly<Partial<Record<AssetId, string>>>;
	/** The base units that the hot wallet can spend, as text, per asset. */
	readonly reserves: Readonly<Partial<Record<AssetId, string>>>;
	/** The hot wallet's address, which no order may pay to. */
	readonly hotAddress: string;
	/** Assets that the last poll could not read: Unix milliseconds of the last poll that could. */
	readonly unseenSince: Readonly<Partial<Record<AssetId, number>>>;
	/** The part of it that is owed already, base units as text; nothing of an asset that is not named. */
	readonly owed: Readonly<Partial<Record<AssetId, string>>>;
	/** The cost of an order of the asset to the house, base units of the native coin as text. */
	readonly costs: Readonly<Partial<Record<AssetId, HouseCosts>>>;
}

export interface Market {
	/** Unix milliseconds when it was built. */
	readonly at: number;
	readonly prices: Prices;
	/** The public price sources by name: why one gave no answer at the last refresh, or null where it did. */
	readonly sources: Readonly<Record<string, string | null>>;
	readonly networks: Readonly<Partial<Record<NetworkName, NetworkReport>>>;
	readonly settings: Settings;
	/** The signer's cap for payouts in a UTC day, US dollars, as it said last; null before it was ever asked. */
	readonly payoutCapUsd: number | null;
	/** Entries of the signer's journal, as it said last; null before it was ever asked. */
	readonly journalEntries: number | null;
}

/** Where nothing is open, figures are two minutes old; who asks for a quote by ones that are older than this renews them. */
const RENEWED_SECONDS = 30;

/** A network whose deposits have not been seen for longer takes no new orders until they are. */
export const NETWORK_SILENCE_SECONDS = 180;

/** Is the coin's price young enough to deal on (book: contract, "Prices")? */
export const isPriced = (market: Market, asset: Asset, now: number): boolean =>
	priceAt(market.prices, asset.coin, now) !== null;

/** USD per coin, however old. @throws TypeError for a coin that never had a price: callers check first. */
export function lastPrice(market: Market, asset: Asset): Decimal {
	const price = market.prices[asset.coin];
	if (!price) throw new TypeError(`${asset.coin} has no price`);
	return decimal(price.usd);
}

/** USD per coin, or null when the price is too old to deal on (book: contract, "Prices"). */
export function usdPrice(market: Market, asset: Asset, now: number): Decimal | null {
	const price = priceAt(market.prices, asset.coin, now);
	return price === null ? null : decimal(price);
}

/** The report of a network that answers; null for one that has gone silent. */
export function networkReport(market: Market, name: NetworkName, now: number): NetworkReport | null {
	const report = market.networks[name];
	return report && now - report.at <= NETWORK_SILENCE_SECONDS * 1000 ? report : null;
}

/** The networks of a pair whose figures count and are not new. */
export const datedNetworks = (market: Market, { from, to }: AssetPair, now: number): NetworkName[] =>
	[from.network, to.network].filter((name) => now - (market.networks[name]?.at ?? 0) > RENEWED_SECONDS * 1000);

/** Would a deposit of this asset be seen: is its network watched, and the asset with it? */
export function isWatched(market: Market, asset: Asset, now: number): boolean {
	const report = networkReport(market, asset.network, now);
	if (report === null) return false;
	return now - (report.unseenSince[asset.code] ?? now) <= NETWORK_SILENCE_SECONDS * 1000;
}
