/** The one asset of a UTXO network. */
import { type AssetId, allAssets } from '../../catalog/assets.ts';
import type { Network } from '../../catalog/networks.ts';

/** @throws TypeError when the catalog has none, or several: configuration, not weather. */
export function nativeAsset(network: Network): AssetId {
	const [asset, ...others] = allAssets().filter((each) => each.network === network.name);
	if (!asset || others.length > 0) throw new TypeError(`${network.name} must have exactly one asset`);
	return asset.code;
}
