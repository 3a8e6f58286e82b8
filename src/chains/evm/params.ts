/**
 * An EVM network's parameters as this family's code uses them: its row in the catalog, and the chain that the nodes
 * are on. Pure.
 */
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import type { EvmNetworkParams } from '../../catalog/networks/row.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeChain } from '../configuration.ts';

export interface EvmParams extends EvmNetworkParams {
	/** The coin that pays for gas. */
	readonly native: AssetId;
}

/**
 * The id of every `regtest` chain: what anvil and Hardhat use by default. It is part of each signature (EIP-155), so a
 * transaction that is signed for a test chain is invalid on a main one, although both have the same addresses.
 */
export const TEST_CHAIN_ID = 31_337;

export function evmParams({ name, params }: NetworkOf<'evm'>, chain: NodeChain): EvmParams {
	return { ...params, native: nativeAsset(name), ...(chain === 'regtest' && { chainId: TEST_CHAIN_ID }) };
}
