/**
 * The operator's settings with their defaults, and which assets and pairs are offered under them. Pure.
 */
import { type Asset, type AssetId, allAssets } from './assets.ts';
import { assetByChainName } from './chain-names.ts';
import { NOT_RAISED, type Raised } from './confirmations.ts';
import type { NetworkName } from './networks.ts';
import type { pairSettings as pairTable, site } from './table.ts';

export type PairSettings = Readonly<Omit<typeof pairTable.$inferSelect, 'fromAsset' | 'toAsset'>>;

export interface NetworkSettings extends Raised {
	/** Payouts are made. */
	readonly send: boolean;
	/** Deposits are taken. */
	readonly receive: boolean;
}

/** How far the base fee leans with an asset's reserve, basis points (`pricing/lean.ts`). */
export interface LeanBounds {
	/** Above the base fee, for orders that lead away from the target. */
	readonly surchargeBps: number;
	/** Below it, for orders that lead back. */
	readonly discountBps: number;
}

/** Whose codes assets have in a feed of their dialect. */
export type Monitor = 'bestchange' | 'fixedfloat';

/** A code needs no escaping in XML. */
export const MONITOR_CODE_PATTERN = /^[A-Z0-9]{1,20}$/;

export interface Settings extends Readonly<Omit<typeof site.$inferSelect, 'id'>> {
	/** Assets that this deployment can move, on nodes or on the sandbox. */
	readonly offered: readonly AssetId[];
	readonly inactiveAssets: readonly AssetId[];
	/**
	 * The most that the feed shows as an asset's reserve, for assets where the operator set one. Coins, plain decimal.
	 */
	readonly reserves: Readonly<Partial<Record<AssetId, string>>>;
	/** The operator wants so much to be free, where they said it. Coins, plain decimal. */
	readonly targets: Readonly<Partial<Record<AssetId, string>>>;
	/** Only assets whose reserve changes a price. */
	readonly leans: Readonly<Partial<Record<AssetId, LeanBounds>>>;
	/** A monitor's codes of assets, where the operator named them; empty: the asset is left out of its feed. */
	readonly monitorCodes: Readonly<Record<Monitor, Readonly<Partial<Record<AssetId, string>>>>>;
	/** Assets whose payouts may exceed what the hot wallet can pay now. */
	readonly beyondReserve: readonly AssetId[];
	readonly networks: Readonly<Partial<Record<NetworkName, NetworkSettings>>>;
	/** Keyed `FROM>TO`; only pairs that differ from the default. */
	readonly pairs: Readonly<Record<string, PairSettings>>;
}

const DEFAULT_PAIR: PairSettings = { active: true, minUsd: 40, maxUsd: 50_000 };
const NO_LEAN: LeanBounds = { surchargeBps: 0, discountBps: 0 };
const DEFAULT_NETWORK: NetworkSettings = { send: true, receive: true, ...NOT_RAISED };

export const pairKey = (from: AssetId, to: AssetId): string => `${from}>${to}`;

export const pairSettings = (settings: Settings, from: AssetId, to: AssetId): PairSettings =>
	settings.pairs[pairKey(from, to)] ?? DEFAULT_PAIR;

export const networkSettings = (settings: Settings, name: NetworkName): NetworkSettings =>
	settings.networks[name] ?? DEFAULT_NETWORK;

export const leanBounds = (settings: Settings, asset: AssetId): LeanBounds => settings.leans[asset] ?? NO_LEAN;

const isActive = (settings: Settings, asset: Asset): boolean =>
	settings.offered.includes(asset.code) && !settings.inactiveAssets.includes(asset.code);

/** Deposits of the asset are taken. */
export const isReceived = (settings: Settings, asset: Asset): boolean =>
	isActive(settings, asset) && networkSettings(settings, asset.network).receive;

/** Payouts of the asset are made. */
export const isSent = (settings: Settings, asset: Asset): boolean =>
	isActive(settings, asset) && networkSettings(settings, asset.network).send;

/** May this pair be quoted and ordered? */
export const isPairActive = (settings: Settings, from: Asset, to: Asset): boolean =>
	from.code !== to.code &&
	isReceived(settings, from) &&
	isSent(settings, to) &&
	pairSettings(settings, from.code, to.code).active;

export const receivedAssets = (settings: Settings): Asset[] =>
	allAssets().filter((asset) => isReceived(settings, asset));

export function activePairs(settings: Settings): [Asset, Asset][] {
	const sent = allAssets().filter((asset) => isSent(settings, asset));
	return receivedAssets(settings).flatMap((from) =>
		sent.filter((to) => isPairActive(settings, from, to)).map((to): [Asset, Asset] => [from, to]),
	);
}

/**
 * The asset that a caller names: an exact id, its CAIP-19 name, or a coin symbol that is unambiguous by itself or with the
 * network hint (book: contract, "Assets"). Null where it is none of them.
 */
export function resolveAsset(text: string, networkHint: string | undefined): Asset | null {
	const hint = networkHint?.toLowerCase();
	const onNetwork = (asset: Asset) => hint === undefined || asset.network.toLowerCase() === hint;
	const exact = allAssets().find((asset) => asset.code === text) ?? assetByChainName(text);
	// `ETH` is an id before it is a coin: with a hint for Arbitrum it is a contradiction and does not mean ETHARB.
	if (exact) return onNetwork(exact) ? exact : null;
	const candidates = allAssets().filter((asset) => asset.coin === text && onNetwork(asset));
	return candidates.length === 1 ? (candidates[0] ?? null) : null;
}
