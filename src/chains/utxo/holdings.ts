/** Our holdings by the coin book, the part that can be spent, and the part that would be joined. Sums follow the signer's own rule. */
import { nativeAsset } from '../../catalog/assets.ts';
import type { ConsolidationQuote } from '../port.ts';
import type { Resting } from '../resting.ts';
import { scriptOf } from './address.ts';
import type { Unconfirmed } from './book/pool.ts';
import { changeSum, coinsAt, heldByAddress, spendableSum, strangersSum, unspentSum } from './book/reads.ts';
import { joinable, smallOutputs } from './consolidation.ts';
import { keyOf } from './depth.ts';
import type { Tip } from './source.ts';
import type { Watching } from './watching.ts';

/** Outputs that are deep enough for any deposit, and change of our own transactions, in a block or not. `last`: the book's. */
export async function balance({ sources, book, pool, deepest }: Watching, last: Tip): Promise<bigint> {
	const own = await sources.use((source) => pool.own(source));
	const deep = last.height - deepest + 1;
	return spendableSum(book, deep) + changeSum(book, deep) + moved({ book }, own);
}

/** By how much our own transactions that no block holds change what the book shows, base units: fees alone are lost. */
function moved({ book }: Pick<Watching, 'book'>, own: readonly Unconfirmed[]): bigint {
	const spends = own.flatMap((each) => each.spends);
	const spent = new Set(spends.map(keyOf));
	const taken = coinsAt(book, spends).filter(({ spentBy }) => spentBy === null);
	const back = own.flatMap(({ credits }) => credits).filter((credit) => !spent.has(keyOf(credit)));
	return sum(back) - sum(taken);
}

const sum = (coins: readonly { readonly amount: bigint }[]): bigint =>
	coins.reduce((total, { amount }) => total + amount, 0n);

/**
 * A deposit counts as soon as it is seen. A payment to the hot wallet counts once it is deep, which is when it is
 * booked as reserve. Coins that are not spendable yet are ours as well.
 */
export async function holdings(
	{ keeper, sources, book, pool, deepest }: Watching,
	hotAddress: string,
): Promise<bigint> {
	const last = await keeper.current();
	const { found } = await sources.use((source) => pool.look(source, []));
	const own = found.filter(({ isOwn }) => isOwn);
	const pending = found.filter(({ isOwn }) => !isOwn).flatMap(({ credits }) => credits);
	const deposits = pending.filter(({ address }) => address !== hotAddress);
	const young = strangersSum(book, hotAddress, last.height - deepest + 1);
	return unspentSum(book) - young + sum(deposits) + moved({ book }, own);
}

/** As `Chain.resting`, in the last block that the book has read. */
export async function resting({ keeper, book, network }: Watching, most: number): Promise<Resting> {
	const { height, hash } = await keeper.current();
	const { held, count } = heldByAddress(book, most);
	const asset = nativeAsset(network.name);
	const places = held.map(({ address, total }) => ({ address, holdings: [{ asset, amount: BigInt(total) }] }));
	return { block: { height, hash }, places, others: count - held.length };
}

export async function consolidation(watching: Watching, hotAddress: string): Promise<ConsolidationQuote | null> {
	const { keeper, sources, book, params, deepest } = watching;
	const deep = (await keeper.current()).height - deepest + 1;
	const { coins, rate } = await sources.use((source) =>
		smallOutputs(source, book, params, { deep, isFree: () => true }),
	);
	const hotScript = scriptOf(hotAddress, params);
	const joined =
		hotScript && joinable(coins, { held: spendableSum(book, deep), rate, hotScriptLength: hotScript.length }, params);
	return joined ? { coins: joined.coins.length, amount: joined.amount, fee: joined.fee } : null;
}
