/** The balances of addresses of TRX and of each listed token: one call for each address and asset. */
import type { AssetId } from '../../catalog/assets.ts';
import { ChainUnavailable } from '../errors.ts';
import { eachOf } from '../rpc/each-of.ts';
import { accountOf, tokenBalance } from './accounts.ts';
import { type BlockPlace, headOf } from './depth.ts';
import type { TronNode } from './node.ts';
import { contractOf, type TronParams } from './params.ts';

/**
 * As `Chain.lying`. `read`: the last block that the scan has read; a node below it may not know yet what a sweep took.
 * @throws ChainUnavailable where the coins cannot be read
 */
export async function lying(
	node: TronNode,
	params: TronParams,
	read: BlockPlace | null,
	addresses: readonly string[],
): Promise<ReadonlyMap<AssetId, readonly bigint[]>> {
	const { height } = await headOf(node);
	if (read && height < read.height)
		throw new ChainUnavailable(`the node is at block ${height}, but block ${read.height} was already read`);
	const coins = await eachOf(addresses, async (address) => (await accountOf(node, address)).balance);
	const held = new Map<AssetId, readonly bigint[]>([[params.native, coins]]);
	for (const asset of params.tokens.values()) {
		try {
			held.set(asset, await eachOf(addresses, (address) => tokenBalance(node, contractOf(params, asset), address)));
		} catch (error) {
			if (!(error instanceof ChainUnavailable)) throw error;
		}
	}
	return held;
}
