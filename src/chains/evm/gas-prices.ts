/** What gas costs (EIP-1559), in wei. Prices that the node names are taken between the network's floor and ceiling. */

import { ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { ask } from './node.ts';
import type { EvmParams } from './params.ts';
import { QUANTITY } from './shapes.ts';

export interface GasPrices {
	readonly maxFeePerGas: bigint;
	readonly maxPriorityFeePerGas: bigint;
	/** What gas is likely to cost now: the base fee may rise by an eighth per block, two blocks are a quarter. */
	readonly likelyPerGas: bigint;
}

/** GasPriceOracle, a predeploy of every OP Stack chain; `getL1FeeUpperBound(uint256 unsignedTxSize)`, since Fjord. */
const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000f';
const GET_L1_FEE_UPPER_BOUND = '0xf1c7a58b';
/** A plain transfer with every number at its longest, unsigned, bytes; the oracle adds the signature. */
const PLAIN_BYTES = 70;
/** What `transfer(address,uint256)` adds: its 68 bytes, and a longer length. */
const TOKEN_BYTES = 70;

/**
 * `baseFee`: the head block's. The maximum bears six full blocks in a row.
 * @throws ChainUnavailable, also while gas costs more than the ceiling: what is signed then would not confirm.
 */
export async function gasPrices(rpc: JsonRpc, params: EvmParams, baseFee: bigint | undefined): Promise<GasPrices> {
	if (baseFee === undefined) throw new ChainUnavailable('the node names no base fee');
	const tip = between(params.minTip, await suggestedTip(rpc, params), params.maxTip);
	if (baseFee + tip > params.maxFeePerGas)
		throw new ChainUnavailable(`gas costs ${baseFee + tip} wei, more than the ceiling of ${params.maxFeePerGas}`);
	return {
		maxFeePerGas: between(params.minFeePerGas, 2n * baseFee + tip, params.maxFeePerGas),
		maxPriorityFeePerGas: tip,
		likelyPerGas: (baseFee * 5n + 3n) / 4n + tip,
	};
}

/** Price of the transaction's place on Ethereum, at most; zero where gas includes it. @throws ChainUnavailable */
export async function l1Fee(rpc: JsonRpc, params: EvmParams, moves: 'native' | 'token'): Promise<bigint> {
	if (!params.paysL1Fee) return 0n;
	const bytes = moves === 'token' ? PLAIN_BYTES + TOKEN_BYTES : PLAIN_BYTES;
	const data = GET_L1_FEE_UPPER_BOUND + bytes.toString(16).padStart(64, '0');
	return ask(rpc, QUANTITY, 'eth_call', { to: GAS_PRICE_ORACLE, data }, 'latest');
}

/** Not every node has an opinion; the floor then. */
async function suggestedTip(rpc: JsonRpc, params: EvmParams): Promise<bigint> {
	if (params.maxTip === 0n) return 0n;
	try {
		return QUANTITY.parse(await rpc.call('eth_maxPriorityFeePerGas'));
	} catch (error) {
		if (error instanceof ChainUnavailable) throw error;
		return params.minTip;
	}
}

function between(floor: bigint, value: bigint, ceiling: bigint): bigint {
	if (value < floor) return floor;
	return value > ceiling ? ceiling : value;
}
