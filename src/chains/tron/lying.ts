/** The balances of addresses of TRX and of each listed token: one call for each address and asset. */
import type { AssetId } from '../../catalog/assets.ts';
import { ChainUnavailable, unlessUnavailable } from '../errors.ts';
import { type Resting, restingAt } from '../resting.ts';
import { eachOf } from '../rpc/each-of.ts';
import { accountOf, tokenBalance } from './accounts.ts';
import { type BlockPlace, headOf } from './depth.ts';
import type { TronNode } from './node.ts';
import { contractOf } from './params.ts';

/**
 * As `Chain.lying`. `read`: the last block that the scan has read; a node below it may not know yet what a sweep took.
 * @throws ChainUnavailable where the coins cannot be read
 */
export async function lying(
	node: TronNode,
	read: BlockPlace | null,
	addresses: readonly string[],
): Promise<ReadonlyMap<AssetId, readonly bigint[]>> {
	const { height } = await headOf(node);
	if (read && height < read.height)
		throw new ChainUnavailable(`the node is at block ${height}, but block ${read.height} was already read`);
	return heldNow(node, addresses);
}

/** Blocks come while it is read: so often it is read again. */
const MOST_READINGS = 8;

/** As `Chain.resting`: a node tells only of now, so no block may come meanwhile. @throws ChainUnavailable as `lying` */
export async function resting(node: TronNode, addresses: readonly string[]): Promise<Resting> {
	let block = await headOf(node);
	for (let readings = 0; readings < MOST_READINGS; readings++) {
		const held = await heldNow(node, addresses);
		const after = await headOf(node);
		if (after.id === block.id) return restingAt({ height: block.height, hash: block.id }, addresses, held);
		block = after;
	}
	throw new ChainUnavailable('a block came at each reading');
}

async function heldNow(node: TronNode, addresses: readonly string[]): Promise<ReadonlyMap<AssetId, readonly bigint[]>> {
	const coins = await eachOf(addresses, async (address) => (await accountOf(node, address)).balance);
	const { params } = node;
	const held = new Map<AssetId, readonly bigint[]>([[params.native, coins]]);
	for (const asset of params.tokens.values()) {
		const contract = contractOf(params, asset);
		const ask = eachOf(addresses, (address) => tokenBalance(node, contract, address));
		const amounts = await ask.catch(unlessUnavailable);
		if (amounts) held.set(asset, amounts);
	}
	return held;
}
