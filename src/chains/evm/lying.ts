/**
 * The sums that addresses hold of the native coin and of each listed token: two calls, and one for each token and each
 * 500 addresses.
 */
import type { AssetId } from '../../catalog/assets.ts';
import { unlessUnavailable } from '../errors.ts';
import { type Resting, restingAt } from '../resting.ts';
import { balancesAt } from './balances.ts';
import { headOf } from './depth.ts';
import { contractOf, tokensOf } from './erc20.ts';
import { ask, type EvmRpc } from './node.ts';
import { BLOCK, hexOf } from './shapes.ts';

/** As `Chain.lying`. @throws ChainUnavailable where the native coin cannot be read */
export async function lying(
	rpc: EvmRpc,
	addresses: readonly string[],
): Promise<ReadonlyMap<AssetId, readonly bigint[]>> {
	return heldAt(rpc, addresses, (await headOf(rpc)).height);
}

/** A block that is a few blocks deep: another node behind the same address has it too, and the next fork does not undo it. */
const BLOCKS_DEEP = 3;

/** As `Chain.resting`. @throws ChainUnavailable as `lying` */
export async function resting(rpc: EvmRpc, addresses: readonly string[]): Promise<Resting> {
	const { height } = await headOf(rpc);
	const tag = hexOf(Math.max(0, height - BLOCKS_DEEP));
	const { number, hash } = await ask(rpc, BLOCK, 'eth_getBlockByNumber', tag, false);
	return restingAt({ height: number, hash }, addresses, await heldAt(rpc, addresses, number));
}

async function heldAt(rpc: EvmRpc, addresses: readonly string[], height: number) {
	const { params } = rpc;
	const held = new Map<AssetId, readonly bigint[]>();
	held.set(params.native, await balancesAt(rpc, null, addresses, height));
	for (const asset of tokensOf(params)) {
		const ask = async () => {
			await rpc.requireAsset(asset);
			return balancesAt(rpc, contractOf(params, asset), addresses, height);
		};
		const amounts = await ask().catch(unlessUnavailable);
		if (amounts) held.set(asset, amounts);
	}
	return held;
}
