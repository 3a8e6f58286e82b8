/** The assets that this deployment can move on one network. */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { offeredAssets } from '../../chains/configuration.ts';

export const assetsOn = (env: Parameters<typeof offeredAssets>[0], network: NetworkName): AssetId[] =>
	offeredAssets(env).filter((code) => assetOf(code).network === network);
