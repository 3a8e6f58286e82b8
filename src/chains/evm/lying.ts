/**
 * The sums that addresses hold of the native coin and of each listed token: two calls, and one for each token and each
 * 500 addresses.
 */
import type { AssetId } from '../../catalog/assets.ts';
import { ChainUnavailable } from '../errors.ts';
import { type Resting, restingAt } from '../resting.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { balancesAt } from './balances.ts';
import { headOf } from './depth.ts';
import { contractOf, tokensOf } from './erc20.ts';
import { ask } from './node.ts';
import type { EvmParams } from './params.ts';
import { BLOCK, hexOf } from './shapes.ts';
import type { AssetCheck } from './token-check.ts';

interface Asked {
	readonly rpc: JsonRpc;
	readonly params: EvmParams;
	readonly requireAsset: AssetCheck;
}

/** As `Chain.lying`. @throws ChainUnavailable where the native coin cannot be read */
export async function lying(
	{ rpc, params, requireAsset }: Asked,
	addresses: readonly string[],
): Promise<ReadonlyMap<AssetId, readonly bigint[]>> {
	const { height } = await headOf(rpc);
	return heldAt({ rpc, params, requireAsset }, addresses, height);
}

/** A block that is a few blocks deep: another node behind the same address has it too, and the next fork does not undo it. */
const BLOCKS_DEEP = 3;

/** As `Chain.resting`. @throws ChainUnavailable as `lying` */
export async function resting(asked: Asked, addresses: readonly string[]): Promise<Resting> {
	const { height } = await headOf(asked.rpc);
	const tag = hexOf(Math.max(0, height - BLOCKS_DEEP));
	const { number, hash } = await ask(asked.rpc, BLOCK, 'eth_getBlockByNumber', tag, false);
	return restingAt({ height: number, hash }, addresses, await heldAt(asked, addresses, number));
}

async function heldAt({ rpc, params, requireAsset }: Asked, addresses: readonly string[], height: number) {
	const held = new Map<AssetId, readonly bigint[]>();
	held.set(params.native, await balancesAt(rpc, null, addresses, height));
	for (const asset of tokensOf(params)) {
		try {
			await requireAsset(asset);
			held.set(asset, await balancesAt(rpc, contractOf(params, asset), addresses, height));
		} catch (error) {
			if (!(error instanceof ChainUnavailable)) throw error;
		}
	}
	return held;
}
