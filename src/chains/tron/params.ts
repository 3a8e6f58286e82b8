/** The catalog's entries for Tron, in the forms that its nodes use. Pure. */
import { type AssetId, allAssets, assetOf, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import { hashOf } from './address.ts';

export interface TronParams {
	/** The coin that pays for bandwidth and energy. */
	readonly native: AssetId;
	/**
	 * TRC-20 assets by the hash of their contract's address, hex. The contract identifies a token; anybody can use a
	 * symbol.
	 */
	readonly tokens: ReadonlyMap<string, AssetId>;
	/** Hash of the hot wallet's address, hex: what it sends to a pay-in address is gas. Null of no wallet. */
	readonly hot: string | null;
	/** Id of the main chain's first block. */
	readonly genesis: string;
}

export function tronParams({ name, params }: NetworkOf<'tron'>, hotAddress: string | null): TronParams {
	const own = allAssets().filter((asset) => asset.network === name);
	const tokens = own.flatMap(({ code, contract }): [string, AssetId][] => (contract ? [[hashOf(contract), code]] : []));
	return { ...params, native: nativeAsset(name), tokens: new Map(tokens), hot: hotAddress && hashOf(hotAddress) };
}

/** Address of the token's contract. @throws TypeError for anything but a token of this network: a bug of the caller. */
export function contractOf(params: TronParams, asset: AssetId): string {
	const { contract } = assetOf(asset);
	if (!contract || params.tokens.get(hashOf(contract)) !== asset)
		throw new TypeError(`${asset} is not a token of Tron`);
	return contract;
}
