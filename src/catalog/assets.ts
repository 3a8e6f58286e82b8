/** The assets, one row each (decisions.md "Assets", networks.md). Pure data. */
import type { NetworkName } from './networks.ts';

interface AssetRow {
	/** Trading symbol; what a price source is asked for. */
	readonly coin: string;
	readonly network: NetworkName;
	readonly name: string;
	/** Base units per coin are 10 ** decimals. */
	readonly decimals: number;
}

const ASSETS = {
	BTC: { coin: 'BTC', network: 'Bitcoin', name: 'Bitcoin', decimals: 8 },
	ETH: { coin: 'ETH', network: 'Ethereum', name: 'Ethereum', decimals: 18 },
	BNB: { coin: 'BNB', network: 'BSC', name: 'BNB', decimals: 18 },
	LTC: { coin: 'LTC', network: 'Litecoin', name: 'Litecoin', decimals: 8 },
	ETHARB: { coin: 'ETH', network: 'Arbitrum', name: 'Ethereum (Arbitrum)', decimals: 18 },
	POL: { coin: 'POL', network: 'Polygon', name: 'Polygon', decimals: 18 },
	AVAX: { coin: 'AVAX', network: 'Avalanche', name: 'Avalanche', decimals: 18 },
	DASH: { coin: 'DASH', network: 'Dash', name: 'Dash', decimals: 8 },
	ETHOP: { coin: 'ETH', network: 'Optimism', name: 'Ethereum (Optimism)', decimals: 18 },
} as const satisfies Record<string, AssetRow>;

export type AssetId = keyof typeof ASSETS;
export type Coin = (typeof ASSETS)[AssetId]['coin'];

export interface Asset extends AssetRow {
	readonly code: AssetId;
	readonly coin: Coin;
	/** Decimal places that amounts of this asset are quoted and accepted with: its decimals, at most 8 (networks.md). */
	readonly precision: number;
}

const MAX_PRECISION = 8;

const ALL_ASSETS: readonly Asset[] = (Object.keys(ASSETS) as AssetId[]).map((code) => ({
	code,
	...ASSETS[code],
	precision: Math.min(ASSETS[code].decimals, MAX_PRECISION),
}));

const BY_CODE = new Map<string, Asset>(ALL_ASSETS.map((asset) => [asset.code, asset]));

export const ASSET_IDS = ALL_ASSETS.map((asset) => asset.code);
export const COINS = [...new Set(ALL_ASSETS.map((asset) => asset.coin))];

export const allAssets = (): readonly Asset[] => ALL_ASSETS;

export const isAssetId = (text: string): text is AssetId => BY_CODE.has(text);

/** @throws TypeError never for an `AssetId`; the map is built from the same rows. */
export function assetOf(code: AssetId): Asset {
	const asset = BY_CODE.get(code);
	if (!asset) throw new TypeError(`no such asset: ${code}`);
	return asset;
}
