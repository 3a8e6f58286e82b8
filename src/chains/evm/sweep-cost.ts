/**
 * What sweeping a pay-in address costs. The quote and the signature share this code: a native sweep empties its address
 * only if both compute the same cost.
 */

import { ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { greater } from './balances.ts';
import { tipsOf } from './depth.ts';
import { withGasMargin } from './gas.ts';
import { type GasPrices, gasPrices, l1Fee } from './gas-prices.ts';
import { ask } from './node.ts';
import type { EvmParams } from './params.ts';
import { hexOf, QUANTITY } from './shapes.ts';

/**
 * A transfer between two accounts without code takes exactly this, except where gas also pays for Ethereum's blocks.
 */
const TRANSFER_GAS = 21_000n;
/** The data on Ethereum may become more expensive before the sweep is included. */
const L1_MARGIN = { numerator: 3n, denominator: 2n } as const;

export interface SweepCost {
	readonly gas: bigint;
	readonly maxFeePerGas: bigint;
	readonly maxPriorityFeePerGas: bigint;
	/** Wei for gas and Ethereum together, at most. */
	readonly fee: bigint;
}

/**
 * The tip may take the whole price, so the sweep costs exactly what it does not move, and the address ends at zero. A
 * network without tips charges only the base fee; the negligible remainder stays at the address.
 * @throws ChainUnavailable
 */
export async function nativeSweepCost(rpc: JsonRpc, params: EvmParams, hotAddress: string): Promise<SweepCost> {
	const transfer = { from: hotAddress, to: hotAddress, value: hexOf(0n) };
	const estimate = await ask(rpc, QUANTITY, 'eth_estimateGas', transfer);
	if (estimate > params.maxGas) throw new ChainUnavailable(`the node says that a transfer takes ${estimate} gas`);
	const prices = await pricesNow(rpc, params);
	const price = greater(prices.likelyPerGas, params.minFeePerGas);
	const gas = estimate === TRANSFER_GAS ? estimate : withGasMargin(estimate);
	return {
		gas,
		maxFeePerGas: price,
		maxPriorityFeePerGas: params.maxTip === 0n ? 0n : price,
		fee: gas * price + (await cautiousL1Fee(rpc, params, 'native')),
	};
}

/** @throws ChainUnavailable */
export async function pricesNow(rpc: JsonRpc, params: EvmParams): Promise<GasPrices> {
	const { baseFee } = await tipsOf(rpc);
	return gasPrices(rpc, params, baseFee);
}

/** @throws ChainUnavailable */
export async function cautiousL1Fee(rpc: JsonRpc, params: EvmParams, moves: 'native' | 'token'): Promise<bigint> {
	return ((await l1Fee(rpc, params, moves)) * L1_MARGIN.numerator) / L1_MARGIN.denominator;
}
