/** Assets as people read them: coin and network in words. Pure. */
import { ASSET_IDS, assetOf, isAssetId } from '../catalog/assets.ts';

/** `USDC · Polygon`. What is no asset of ours, a token's contract, say, stays as it is. */
export function assetName(code: string): string {
	if (!isAssetId(code)) return code;
	const { coin, network } = assetOf(code);
	return `${coin} · ${network}`;
}

/** Beside an amount: the coin alone where its code is the coin's name. */
export const coinName = (code: string): string =>
	isAssetId(code) && assetOf(code).coin === code ? code : assetName(code);

/** A sentence with the names of the assets whose codes are in it. */
export const withAssetNames = (text: string): string => text.replaceAll(/\b[A-Z][A-Z\d]{3,}\b/g, coinName);

/** For a choice. */
export const ASSET_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
	ASSET_IDS.map((code) => [code, assetName(code)]),
);
