/** What one payout costs now. Asked for quotes every few seconds, so a rough answer at today's price is what is wanted. */
import type { AssetId } from '../../catalog/assets.ts';
import { ChainUnavailable } from '../errors.ts';
import type { Fee } from '../port.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { contractOf, transferOf } from './erc20.ts';
import { l1Fee } from './fees.ts';
import { callOf, isRevert } from './gas.ts';
import { ask, read, unavailable } from './node.ts';
import type { EvmParams } from './params.ts';
import { hexOf, QUANTITY } from './shapes.ts';
import { pricesNow } from './sweep-cost.ts';

/** Where a token is not tried out because the wallet holds none: 65 000 gas in all for a fresh holder, with a plain transfer's 21 000. */
const TOKEN_GAS_BEYOND_PLAIN = 44_000n;
/** The first 20 bytes of keccak256("a fresh holder"): nobody's, and it never held a token. A first holding costs most. */
const FRESH_HOLDER = '0x16f3d291e01bfb70760b5843ad926af57b8e0e83';

/** @throws ChainUnavailable */
export async function feeEstimate(rpc: JsonRpc, params: EvmParams, hotAddress: string, asset: AssetId): Promise<Fee> {
	const contract = contractOf(params, asset);
	const plain = { from: hotAddress, to: hotAddress, value: hexOf(0n) };
	const plainGas = await ask(rpc, QUANTITY, 'eth_estimateGas', plain);
	const gas = contract === null ? plainGas : await tokenGas(rpc, hotAddress, contract, plainGas);
	const most = contract === null ? params.maxGas : params.maxTokenGas;
	if (gas > most) throw new ChainUnavailable(`the node says that a payout of ${asset} takes ${gas} gas`);
	const { likelyPerGas } = await pricesNow(rpc, params);
	const amount = gas * likelyPerGas + (await l1Fee(rpc, params, contract === null ? 'native' : 'token'));
	return { asset: params.native, amount };
}

/** Gas of a payout of this token; `plainGas`: of a plain transfer. @throws ChainUnavailable */
export async function tokenGas(rpc: JsonRpc, hotAddress: string, contract: string, plainGas: bigint): Promise<bigint> {
	const call = callOf(hotAddress, transferOf(contract, FRESH_HOLDER, 1n));
	try {
		return read(QUANTITY, 'eth_estimateGas', await rpc.call('eth_estimateGas', call));
	} catch (error) {
		if (error instanceof RpcError && isRevert(error)) return plainGas + TOKEN_GAS_BEYOND_PLAIN;
		throw unavailable('eth_estimateGas', error);
	}
}
