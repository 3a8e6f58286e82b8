/**
 * The cost of sweeping a pay-in address. The quote and the signature share this code: a native sweep empties its
 * address only if both compute the same cost.
 */
import { greater } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import { headOf } from './depth.ts';
import { plainGas, withGasMargin } from './gas.ts';
import { type GasPrices, gasPrices, l1Fee } from './gas-prices.ts';
import type { EvmRpc } from './node.ts';
import type { EvmParams } from './params.ts';

/**
 * A transfer between two accounts without code takes exactly this, except where gas also pays for Ethereum's blocks.
 */
export const TRANSFER_GAS = 21_000n;
/** The data on Ethereum may become more expensive before the sweep is included. */
const L1_MARGIN = { numerator: 3n, denominator: 2n } as const;

export interface SweepCost {
	readonly gas: bigint;
	readonly maxFeePerGas: bigint;
	readonly maxPriorityFeePerGas: bigint;
	/** Wei for gas and Ethereum together, at most. */
	readonly fee: bigint;
}

/** A transfer of coins to an account without code, at one moment. */
export interface CoinTransfer {
	readonly gas: bigint;
	readonly prices: GasPrices;
	/** Wei for its data on Ethereum. */
	readonly l1Fee: bigint;
}

/** `gasOf`: where the caller remembers the gas. @throws ChainUnavailable */
export async function coinTransferNow(
	rpc: EvmRpc,
	hotAddress: string,
	gasOf = () => plainGas(rpc, hotAddress),
): Promise<CoinTransfer> {
	const gas = await gasOf();
	if (gas > rpc.params.maxGas) throw new ChainUnavailable(`the node says that a transfer takes ${gas} gas`);
	return { gas, prices: await pricesNow(rpc), l1Fee: await l1Fee(rpc, 'native') };
}

/**
 * The tip may take the whole price, so the sweep costs exactly what it does not move, and the address ends at zero. A
 * network without tips charges only the base fee; the negligible remainder stays at the address.
 */
export function nativeSweepCost(params: EvmParams, coin: CoinTransfer): SweepCost {
	const price = greater(coin.prices.likelyPerGas, params.minFeePerGas);
	const gas = coin.gas === TRANSFER_GAS ? coin.gas : withGasMargin(coin.gas);
	return {
		gas,
		maxFeePerGas: price,
		maxPriorityFeePerGas: params.maxTip === 0n ? 0n : price,
		fee: gas * price + cautious(coin.l1Fee),
	};
}

/** @throws ChainUnavailable */
export async function pricesNow(rpc: EvmRpc): Promise<GasPrices> {
	const { baseFee } = await headOf(rpc);
	return gasPrices(rpc, baseFee);
}

/** Wei that a sweep sets aside for its data on Ethereum, rounded down. `fee`: what it costs now (`l1Fee`). */
export const cautious = (fee: bigint): bigint => (fee * L1_MARGIN.numerator) / L1_MARGIN.denominator;
