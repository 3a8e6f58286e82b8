/** The assets of Solana, and the account of an owner that holds each of them. Pure. */
import { type Asset, type AssetId, allAssets, assetOf, isNative } from '../../catalog/assets.ts';
import { tokenAddress } from './programs.ts';

/** A token's mint; null for SOL. @throws TypeError for an asset of another network: a bug of the caller. */
export function mintOf(code: AssetId): string | null {
	const asset = solanaAsset(code);
	return asset.contract ?? null;
}

export const LISTED: readonly AssetId[] = allAssets()
	.filter(({ network }) => network === 'Solana')
	.map(({ code }) => code);

export const isOnSolana = (code: AssetId): boolean => assetOf(code).network === 'Solana';

export function solanaAsset(code: AssetId): Asset {
	if (!isOnSolana(code)) throw new TypeError(`${code} is not on Solana`);
	return assetOf(code);
}

/** The account that holds the owner's coins of this asset. */
export function accountOf(owner: string, code: AssetId): string {
	const mint = mintOf(code);
	return mint === null ? owner : tokenAddress(owner, mint);
}

/** How the deposit arrived. An address is for one asset, so one transaction credits it at most once. */
export const positionOf = (code: AssetId): string => (isNative(solanaAsset(code)) ? 'native' : 'token');
