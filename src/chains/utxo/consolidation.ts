/**
 * Which small outputs are joined into one, and when: while fees are at their floor, many at a time, and never a large part
 * of what the wallet holds, so that no payment waits for it. Agent and signer both judge by this, each with its own node.
 *
 * Any output that is deep may be joined, a deposit that nobody has answered for yet as well, as it may pay any payout. What
 * proves a deposit is the transaction that brought it (`ChainSigner.finalAmount`), which stays on the chain when its output
 * is spent. Pure but for the node's answers.
 */
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { byAmount } from './coins.ts';
import { feeFor, feeRate, spendingCost, virtualSize } from './fees.ts';
import type { UtxoParams } from './params.ts';
import type { Unspent } from './shapes.ts';
import { outpointOf, outputsWithin } from './unspent.ts';

/** Outputs that one transaction joins: fewer do not help, and more make it large and slow to sign. */
const LEAST_COINS = 100;
const MOST_COINS = 300;
/** What is worth less than three times the cost of spending it stays where it is. */
const WORTH_TIMES_COST = 3n;
/** Of all that the wallet holds, at most a tenth is joined at once. */
const SHARE = 10n;
/** Fees are low up to twice the lowest rate that is ever paid. */
const LOW_RATES = 2n;
/** By which the largest amount that is asked for grows, until there are enough. */
const AMOUNT_STEP = 64n;
/** Nodes refuse larger amounts as impossible: 21 million coins. */
const LARGEST = 2_100_000_000_000_000n;

/**
 * The smallest outputs that are worth it, by the node's present fee; none while fees are not low. `isOurs`: what may be
 * spent at all.
 */
export async function smallOutputs(
	rpc: JsonRpc,
	params: UtxoParams,
	leastConfirmations: number,
	isOurs: (output: Unspent) => boolean,
): Promise<{ readonly outputs: readonly Unspent[]; readonly rate: bigint }> {
	const rate = await feeRate(rpc, params);
	if (rate > params.minFeeRate * LOW_RATES) return { outputs: [], rate };
	const least = spendingCost(params, rate) * WORTH_TIMES_COST;
	const any = await outputsWithin(rpc, leastConfirmations, { least, count: LEAST_COINS });
	if (any.length < LEAST_COINS) return { outputs: [], rate };
	for (let most = least * AMOUNT_STEP; most < LARGEST; most *= AMOUNT_STEP) {
		const found = await outputsWithin(rpc, leastConfirmations, { least, most, count: MOST_COINS });
		const outputs = found.filter(isOurs);
		if (outputs.length >= LEAST_COINS) return { outputs, rate };
	}
	return { outputs: [], rate };
}

export interface Joined<C> {
	readonly coins: readonly C[];
	/** Base units that arrive, and what the network takes. */
	readonly amount: bigint;
	readonly fee: bigint;
}

/**
 * `coins`: all worth spending; `held`: all that the wallet holds, base units. Null where joining them is not worth
 * it.
 */
export function joinable<C extends Pick<Unspent, 'txid' | 'vout' | 'amount'>>(
	coins: readonly C[],
	held: bigint,
	rate: bigint,
	hotScriptLength: number,
	params: UtxoParams,
): Joined<C> | null {
	const smallestFirst = coins
		.map((coin) => ({ coin, amount: coin.amount, outpoint: outpointOf(coin) }))
		.toSorted((a, b) => byAmount(b, a));
	const chosen: C[] = [];
	let total = 0n;
	for (const { coin, amount } of smallestFirst) {
		if (chosen.length === MOST_COINS || (total + amount) * SHARE > held) break;
		chosen.push(coin);
		total += amount;
	}
	const fee = feeFor(params, rate, virtualSize(params, chosen.length, [hotScriptLength]));
	const amount = total - fee;
	const isWorthIt = chosen.length >= LEAST_COINS && total >= fee * WORTH_TIMES_COST && amount >= params.dust;
	return isWorthIt ? { coins: chosen, amount, fee } : null;
}
