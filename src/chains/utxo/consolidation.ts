/**
 * Decides which small outputs are joined into one, and when: only while fees are near their floor, many outputs at a
 * time, and never a large part of the balance, so that no payment has to wait. Agent and signer both use this, each
 * with its own node.
 *
 * Any deep output may be joined, even a deposit that is not settled yet, just as it may pay any payout. What proves a
 * deposit is the transaction that brought it (`ChainSigner.finalAmount`). That stays on the chain when its output is
 * spent. Pure but for the node's answers.
 */
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { byAmount } from './coins.ts';
import { feeFor, feeRate, spendingCost, virtualSize } from './fees.ts';
import type { UtxoParams } from './params.ts';
import type { Unspent } from './shapes.ts';
import { outpointOf, outputsWithin } from './unspent.ts';

/** Outputs that one transaction joins. Fewer do not help; more make it large and slow to sign. */
const LEAST_COINS = 100;
const MOST_COINS = 300;
/** An output that is worth less than three times the cost of spending it is left alone. */
const WORTH_TIMES_COST = 3n;
/** At most a tenth of the wallet's balance is joined at once. */
const SHARE = 10n;
/** Fees count as low up to twice the network's lowest rate. */
const LOW_RATES = 2n;
/** The upper bound of the amounts grows by this factor until enough outputs are found. */
const AMOUNT_STEP = 64n;
/** Nodes refuse larger amounts as impossible: 21 million coins. */
const LARGEST = 2_100_000_000_000_000n;

/**
 * The smallest outputs that are worth joining at the node's current fee rate; none while fees are not low. `isOurs`:
 * whether an output may be spent at all.
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
	/** Base units that arrive at the hot wallet, after the fee. */
	readonly amount: bigint;
	readonly fee: bigint;
}

/**
 * `coins`: outputs that are worth spending. `held`: the wallet's whole balance, base units. Null where joining them is
 * not worth its fee.
 */
export function joinable<C extends Pick<Unspent, 'txid' | 'vout' | 'amount'>>(
	coins: readonly C[],
	{ held, rate, hotScriptLength }: { readonly held: bigint; readonly rate: bigint; readonly hotScriptLength: number },
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
