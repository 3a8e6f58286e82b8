/**
 * Sizes and fees. Rates are base units per 1000 vB. Sizes are upper bounds (BIP141's
 * weights with a 72-byte signature), so that the rate is reached with any signature.
 */
import { greater, lesser } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import type { UtxoParams } from './params.ts';
import type { Source } from './source.ts';

/** Blocks in which a payout should confirm. */
const TARGET_BLOCKS = 3;
const VB_PER_RATE = 1_000n;

/** With one byte for the number of inputs. */
const OVERHEAD_VB = { p2wpkh: 11, p2wsh: 11, p2pkh: 10, p2sh: 10 } as const;
/** From so many inputs on their number takes so many bytes more. */
const LONG_COUNT = 253;
const LONG_COUNT_VB = 2;
/** Where both judges sign: 41 bytes and a witness of 220 (p2wsh), or 41 and a script of 219 (p2sh). */
const INPUT_VB = { p2wpkh: 68, p2wsh: 96, p2pkh: 148, p2sh: 260 } as const;
/** Value and script length. */
const OUTPUT_BASE_VB = 9;
/** The longest script that we pay to: p2wsh and p2tr. */
const LONGEST_SCRIPT = 34;

/** Virtual bytes of a transaction with `inputs` inputs of ours and outputs to scripts of these lengths. */
export function virtualSize(params: UtxoParams, inputs: number, scriptLengths: readonly number[]): number {
	const outputs = scriptLengths.reduce((sum, length) => sum + OUTPUT_BASE_VB + length, 0);
	const count = inputs < LONG_COUNT ? 0 : LONG_COUNT_VB;
	return OVERHEAD_VB[params.ownScript] + count + inputs * INPUT_VB[params.ownScript] + outputs;
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
 * The provider's estimate, kept between floor and ceiling; the floor where it has no estimate yet. The floor is ours or the
 * provider's, whichever is higher: nodes may estimate less than they take. @throws ChainUnavailable, also where the provider
 * takes nothing at our ceiling
 */
export async function feeRate(source: Source, params: UtxoParams): Promise<bigint> {
	const [estimate, floor] = await Promise.all([source.feeRate(TARGET_BLOCKS), source.floorRate()]);
	if (floor > params.maxFeeRate)
		throw new ChainUnavailable(
			`the node takes nothing below ${floor} per 1000 vB, and ${params.maxFeeRate} is our most`,
		);
	return lesser(params.maxFeeRate, greater(params.minFeeRate, floor, estimate));
}
