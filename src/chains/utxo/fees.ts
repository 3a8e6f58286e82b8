/**
 * Sizes and fees. Rates are base units per 1000 vB, the unit of `estimatesmartfee`. Sizes are upper bounds (BIP141's
 * weights with a 72-byte signature), so that the rate is reached with any signature.
 */
import { greater, lesser } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { ask } from './node.ts';
import type { UtxoParams } from './params.ts';
import { MEMPOOL_INFO, SMART_FEE } from './shapes.ts';

/** Blocks in which a payout should confirm. */
const TARGET_BLOCKS = 3;
const VB_PER_RATE = 1_000n;

const OVERHEAD_VB = { p2wpkh: 11, p2pkh: 10 } as const;
const INPUT_VB = { p2wpkh: 68, p2pkh: 148 } as const;
/** Value and script length. */
const OUTPUT_BASE_VB = 9;
/** The longest script that we pay to: p2wsh and p2tr. */
const LONGEST_SCRIPT = 34;

/** Virtual bytes of a transaction with `inputs` inputs of ours and outputs to scripts of these lengths. */
export function virtualSize(params: UtxoParams, inputs: number, scriptLengths: readonly number[]): number {
	const outputs = scriptLengths.reduce((sum, length) => sum + OUTPUT_BASE_VB + length, 0);
	return OVERHEAD_VB[params.ownScript] + inputs * INPUT_VB[params.ownScript] + outputs;
}

/** Rounded up, so that the rate is reached; never above the network's cap. */
export function feeFor(params: UtxoParams, rate: bigint, virtualBytes: number): bigint {
	return lesser(params.maxFee, (rate * BigInt(virtualBytes) + VB_PER_RATE - 1n) / VB_PER_RATE);
}

/** The cost of spending one coin of ours. */
export const spendingCost = (params: UtxoParams, rate: bigint): bigint =>
	feeFor(params, rate, INPUT_VB[params.ownScript]);

/** Fee of a typical payout: two inputs, one output for the recipient and one for the change. */
export const typicalFee = (params: UtxoParams, rate: bigint): bigint =>
	feeFor(params, rate, virtualSize(params, 2, [LONGEST_SCRIPT, LONGEST_SCRIPT]));

/**
 * The node's estimate, kept between floor and ceiling; the floor where the node has no estimate yet. The floor is ours or
 * the node's, whichever is higher: nodes may estimate less than they take. @throws ChainUnavailable, also where the node
 * takes nothing at our ceiling
 */
export async function feeRate(rpc: JsonRpc, params: UtxoParams): Promise<bigint> {
	const [{ feerate = 0n }, floor] = await Promise.all([
		ask(rpc, SMART_FEE, 'estimatesmartfee', TARGET_BLOCKS),
		floorRate(rpc),
	]);
	if (floor > params.maxFeeRate)
		throw new ChainUnavailable(
			`the node takes nothing below ${floor} per 1000 vB, and ${params.maxFeeRate} is our most`,
		);
	return lesser(params.maxFeeRate, greater(params.minFeeRate, floor, feerate));
}

/** The lowest rate that the node takes now. @throws ChainUnavailable */
export async function floorRate(rpc: JsonRpc): Promise<bigint> {
	const { mempoolminfee, minrelaytxfee = 0n } = await ask(rpc, MEMPOOL_INFO, 'getmempoolinfo');
	return greater(mempoolminfee, minrelaytxfee);
}
