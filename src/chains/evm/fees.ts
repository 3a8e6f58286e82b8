/**
 * What moving an asset costs now: the payout, and what the house pays in addition. Updated every few seconds, so
 * estimates are enough.
 */
import type { AssetId } from '../../catalog/assets.ts';
import { ChainUnavailable } from '../errors.ts';
import type { Fee, HouseCosts } from '../port.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { contractOf, transferOf } from './erc20.ts';
import { callOf, isRevert, MOST_PLAIN_TRANSFERS, plainGas, withGasMargin } from './gas.ts';
import { l1Fee } from './gas-prices.ts';
import { ask, read, unavailable } from './node.ts';
import type { EvmParams } from './params.ts';
import { hexOf, QUANTITY } from './shapes.ts';
import { cautiousL1Fee, nativeSweepCost, pricesNow } from './sweep-cost.ts';

/**
 * For a token whose transfer cannot be simulated because the wallet holds none of it. With the 21 000 of a plain
 * transfer it makes 65 000 gas for a first-time holder.
 */
const TOKEN_GAS_BEYOND_PLAIN = 44_000n;
/**
 * The first 20 bytes of keccak256("a fresh holder"): an address of nobody, which never held a token. A transfer to a
 * first-time holder costs most.
 */
const FRESH_HOLDER = '0x16f3d291e01bfb70760b5843ad926af57b8e0e83';

/** @throws ChainUnavailable */
export async function feeEstimate(rpc: JsonRpc, params: EvmParams, hotAddress: string, asset: AssetId): Promise<Fee> {
	const contract = contractOf(params, asset);
	const plain = { from: hotAddress, to: hotAddress, value: hexOf(0n) };
	const coinGas = await ask(rpc, QUANTITY, 'eth_estimateGas', plain);
	const gas = contract === null ? coinGas : await tokenGas(rpc, hotAddress, contract, coinGas);
	const most = contract === null ? params.maxGas : params.maxTokenGas;
	if (gas > most) throw new ChainUnavailable(`the node says that a payout of ${asset} takes ${gas} gas`);
	const { likelyPerGas } = await pricesNow(rpc, params);
	const amount = gas * likelyPerGas + (await l1Fee(rpc, params, contract === null ? 'native' : 'token'));
	return { asset: params.native, amount };
}

/** Gas of a payout of this token; `coinGas`: of a plain transfer. @throws ChainUnavailable */
async function tokenGas(rpc: JsonRpc, hotAddress: string, contract: string, coinGas: bigint): Promise<bigint> {
	const call = callOf(hotAddress, transferOf(contract, FRESH_HOLDER, 1n));
	try {
		return read(QUANTITY, 'eth_estimateGas', await rpc.call('eth_estimateGas', call));
	} catch (error) {
		if (error instanceof RpcError && isRevert(error)) return coinGas + TOKEN_GAS_BEYOND_PLAIN;
		throw unavailable('eth_estimateGas', error);
	}
}

/**
 * Wei, at the prices that sweeps and fee estimates use. Each deposit is swept, and a recipient's code may use gas.
 * @throws ChainUnavailable
 */
export async function houseCosts(
	rpc: JsonRpc,
	params: EvmParams,
	hotAddress: string,
	asset: AssetId,
): Promise<HouseCosts> {
	const contract = contractOf(params, asset);
	const plain = await plainGas(rpc, hotAddress);
	const topUp = await nativeSweepCost(rpc, params, hotAddress);
	const { likelyPerGas } = await pricesNow(rpc, params);
	if (contract === null) return { deposit: topUp.fee, recipient: (MOST_PLAIN_TRANSFERS - 1n) * plain * likelyPerGas };
	// The gas top-up of the address comes first. A token's transfer does not run its recipient's code.
	const gas = withGasMargin(await tokenGas(rpc, hotAddress, contract, plain));
	const deposit = gas * likelyPerGas + (await cautiousL1Fee(rpc, params, 'token')) + topUp.fee;
	return { deposit, recipient: 0n };
}
