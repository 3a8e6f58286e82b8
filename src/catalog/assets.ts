/**
 * The assets, one row each: natives, then tokens (book: contract, "Assets"; book: networks, "Networks and assets").
 * Pure data.
 */
import type { NetworkName } from './networks.ts';

interface AssetRow {
	/** Trading symbol; price sources are queried by it. */
	readonly coin: string;
	readonly network: NetworkName;
	readonly name: string;
	/** Base units per coin are 10 ** decimals. */
	readonly decimals: number;
	/** A token's contract, or its mint on Solana. Absent for the coin that pays its network's fees. */
	readonly contract?: string;
}

const TOKEN_NAMES = { USDT: 'Tether USD', USDC: 'USD Coin', DAI: 'Dai' } as const;

const token = <T extends keyof typeof TOKEN_NAMES>(
	coin: T,
	network: NetworkName,
	decimals: number,
	contract: string,
) => ({ coin, network, name: `${TOKEN_NAMES[coin]} (${network})`, decimals, contract });

const ASSETS = {
	BTC: { coin: 'BTC', network: 'Bitcoin', name: 'Bitcoin', decimals: 8 },
	ETH: { coin: 'ETH', network: 'Ethereum', name: 'Ethereum', decimals: 18 },
	BNB: { coin: 'BNB', network: 'BSC', name: 'BNB', decimals: 18 },
	SOL: { coin: 'SOL', network: 'Solana', name: 'Solana', decimals: 9 },
	TRX: { coin: 'TRX', network: 'Tron', name: 'TRON', decimals: 6 },
	XMR: { coin: 'XMR', network: 'Monero', name: 'Monero', decimals: 12 },
	LTC: { coin: 'LTC', network: 'Litecoin', name: 'Litecoin', decimals: 8 },
	ETHARB: { coin: 'ETH', network: 'Arbitrum', name: 'Ethereum (Arbitrum)', decimals: 18 },
	POL: { coin: 'POL', network: 'Polygon', name: 'Polygon', decimals: 18 },
	AVAX: { coin: 'AVAX', network: 'Avalanche', name: 'Avalanche', decimals: 18 },
	DASH: { coin: 'DASH', network: 'Dash', name: 'Dash', decimals: 8 },
	ETHOP: { coin: 'ETH', network: 'Optimism', name: 'Ethereum (Optimism)', decimals: 18 },

	USDTERC20: token('USDT', 'Ethereum', 6, '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
	USDTBEP20: token('USDT', 'BSC', 18, '0x55d398326f99059fF775485246999027B3197955'),
	USDTARB: token('USDT', 'Arbitrum', 6, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
	USDTPOL: token('USDT', 'Polygon', 6, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
	USDTAVAX: token('USDT', 'Avalanche', 6, '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'),
	// USDT0; the older 0x94b008aA00579c1307B0EF2c499aD98a8ce58e58 is another token.
	USDTOP: token('USDT', 'Optimism', 6, '0x01bFF41798a0BcF287b996046Ca68b395DbC1071'),
	USDTSOL: token('USDT', 'Solana', 6, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
	USDTTRC20: token('USDT', 'Tron', 6, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'),
	USDCERC20: token('USDC', 'Ethereum', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
	USDCBEP20: token('USDC', 'BSC', 18, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'),
	USDCARB: token('USDC', 'Arbitrum', 6, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
	USDCPOL: token('USDC', 'Polygon', 6, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
	USDCAVAX: token('USDC', 'Avalanche', 6, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
	USDCOP: token('USDC', 'Optimism', 6, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
	USDCSOL: token('USDC', 'Solana', 6, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
	DAIERC20: token('DAI', 'Ethereum', 18, '0x6B175474E89094C44Da98b954EedeAC495271d0F'),
	DAIBEP20: token('DAI', 'BSC', 18, '0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3'),
	DAIARB: token('DAI', 'Arbitrum', 18, '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1'),
	DAIPOL: token('DAI', 'Polygon', 18, '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063'),
	DAIAVAX: token('DAI', 'Avalanche', 18, '0xd586E7F844cEa2F87f50152665BCbc2C279D8d70'),
	DAIOP: token('DAI', 'Optimism', 18, '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1'),
} as const satisfies Record<string, AssetRow>;

export type AssetId = keyof typeof ASSETS;
export type Coin = (typeof ASSETS)[AssetId]['coin'];

export interface Asset extends AssetRow {
	readonly code: AssetId;
	readonly coin: Coin;
	/**
	 * Decimal places that amounts of this asset are quoted and accepted with: its decimals, at most 8 (book: networks,
	 * "Networks and assets").
	 */
	readonly precision: number;
}

/** The asset that is paid in, and the one that is paid out. */
export interface AssetPair {
	readonly from: Asset;
	readonly to: Asset;
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

/** A token that is not listed, by its contract or mint. */
export type TokenId = string & { readonly isUnlisted: true };

/** In any case of its letters. */
export const isListedToken = (network: NetworkName, token: string): boolean =>
	ALL_ASSETS.some((asset) => asset.network === network && asset.contract?.toLowerCase() === token.toLowerCase());

/** Is it the coin that pays its network's fees, and not a token? */
export const isNative = (asset: Asset): boolean => asset.contract === undefined;

/** Each network has one, and a test checks it, so this never throws. */
export function nativeAsset(network: NetworkName): AssetId {
	const native = ALL_ASSETS.find((asset) => asset.network === network && isNative(asset));
	if (!native) throw new TypeError(`${network} has no native asset`);
	return native.code;
}

/** Never throws for an `AssetId`: the map is built from the same rows. */
export function assetOf(code: AssetId): Asset {
	const asset = BY_CODE.get(code);
	if (!asset) throw new TypeError(`no such asset: ${code}`);
	return asset;
}
