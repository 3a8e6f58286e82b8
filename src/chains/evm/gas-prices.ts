/** Gas prices (EIP-1559), in wei. The node's prices are limited to the network's floor and ceiling. */
import { greater, lesser } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import { ask, type EvmRpc } from './node.ts';
import { QUANTITY } from './shapes.ts';

export interface GasPrices {
	readonly maxFeePerGas: bigint;
	readonly maxPriorityFeePerGas: bigint;
	/** The likely price of gas now. The base fee may rise by an eighth per block, so by a quarter in two blocks. */
	readonly likelyPerGas: bigint;
}

/** GasPriceOracle, a predeploy of every OP Stack chain; `getL1FeeUpperBound(uint256 unsignedTxSize)`, since Fjord. */
const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000f';
const GET_L1_FEE_UPPER_BOUND = '0xf1c7a58b';
/** Bytes of an unsigned plain transfer with every number at its longest. The oracle adds the signature. */
const PLAIN_BYTES = 70;
/** Bytes that `transfer(address,uint256)` adds: its 68 bytes of call data, and a longer length prefix. */
const TOKEN_BYTES = 70;

/**
 * `baseFee`: the head block's. The maximum is enough for six full blocks in a row. @throws ChainUnavailable, also while
 * gas costs more than the ceiling: a transaction that is signed then would not confirm
 */
export async function gasPrices(rpc: EvmRpc, baseFee: bigint | undefined): Promise<GasPrices> {
	const { params } = rpc;
	if (baseFee === undefined) throw new ChainUnavailable('the node names no base fee');
	const tip = greater(params.minTip, lesser(await suggestedTip(rpc), params.maxTip));
	if (baseFee + tip > params.maxFeePerGas)
		throw new ChainUnavailable(`gas costs ${baseFee + tip} wei, more than the ceiling of ${params.maxFeePerGas}`);
	return {
		maxFeePerGas: greater(params.minFeePerGas, lesser(2n * baseFee + tip, params.maxFeePerGas)),
		maxPriorityFeePerGas: tip,
		likelyPerGas: (baseFee * 5n + 3n) / 4n + tip,
	};
}

/** The most that the transaction's data on Ethereum costs. Zero where gas includes it. @throws ChainUnavailable */
export async function l1Fee(rpc: EvmRpc, moves: 'native' | 'token'): Promise<bigint> {
	if (!rpc.params.paysL1Fee) return 0n;
	const bytes = moves === 'token' ? PLAIN_BYTES + TOKEN_BYTES : PLAIN_BYTES;
	const data = GET_L1_FEE_UPPER_BOUND + bytes.toString(16).padStart(64, '0');
	return ask(rpc, QUANTITY, 'eth_call', { to: GAS_PRICE_ORACLE, data }, 'latest');
}

/** The floor where the node suggests no tip. */
async function suggestedTip(rpc: EvmRpc): Promise<bigint> {
	if (rpc.params.maxTip === 0n) return 0n;
	try {
		return QUANTITY.parse(await rpc.call('eth_maxPriorityFeePerGas'));
	} catch (error) {
		if (error instanceof ChainUnavailable) throw error;
		return rpc.params.minTip;
	}
}
