/**
 * Decides which small outputs are joined into one, and when: only while fees are near their floor, many outputs at a
 * time, and never a large part of the balance, so that no payment has to wait. Agent and signer both use this, each
 * with its own book.
 *
 * Any deep output may be joined, even a deposit that is not settled yet, just as it may pay any payout. What proves a
 * deposit is the transaction that brought it (`ChainSigner.finalAmount`). That stays on the chain when its output is
 * spent. Pure but for the book and the rate.
 */
import type { CoinBook } from './book/coin-book.ts';
import { type BookCoin, smallestCoins } from './book/reads.ts';
import { byAmount } from './coins.ts';
import { keyOf } from './depth.ts';
import { feeFor, feeRate, spendingCost, virtualSize } from './fees.ts';
import type { UtxoParams } from './params.ts';
import type { Source } from './source.ts';
import type { Outpoint } from './transaction-bytes.ts';

/** Outputs that one transaction joins. Fewer do not help; more make it large and slow to sign. */
const LEAST_COINS = 100;
const MOST_COINS = 300;
/** An output that is worth less than three times the cost of spending it is left alone. */
const WORTH_TIMES_COST = 3n;
/** At most a tenth of the wallet's balance is joined at once. */
const SHARE = 10n;
/** Fees count as low up to twice the network's lowest rate. */
const LOW_RATES = 2n;
/** Some of the smallest may be reserved. */
const MOST_READ = 2_000;

interface Wanted {
	/** The highest block whose coins are deep enough. */
	readonly deep: number;
	/** May it be spent at all? */
	readonly isFree: (coin: BookCoin) => boolean;
}

export const isLow = (rate: bigint, { minFeeRate }: UtxoParams): boolean => rate <= minFeeRate * LOW_RATES;

/** The smallest outputs that are worth joining at the current fee rate; none while fees are not low. */
export async function smallOutputs(
	source: Source,
	book: CoinBook,
	params: UtxoParams,
	{ deep, isFree }: Wanted,
): Promise<{ readonly coins: readonly BookCoin[]; readonly rate: bigint }> {
	const rate = await feeRate(source, params);
	if (!isLow(rate, params)) return { coins: [], rate };
	const least = spendingCost(params, rate) * WORTH_TIMES_COST;
	const coins = smallestCoins(book, { upTo: deep, least, count: MOST_READ }).filter(isFree).slice(0, MOST_COINS);
	return { coins: coins.length < LEAST_COINS ? [] : coins, rate };
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
export function joinable<C extends Outpoint & { readonly amount: bigint }>(
	coins: readonly C[],
	{ held, rate, hotScriptLength }: { readonly held: bigint; readonly rate: bigint; readonly hotScriptLength: number },
	params: UtxoParams,
): Joined<C> | null {
	const smallestFirst = coins
		.map((coin) => ({ coin, amount: coin.amount, outpoint: keyOf(coin) }))
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
