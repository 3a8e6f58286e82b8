/** The signer's wallets know what the agent does not: which of our coins are spent, and what we sent ourselves. */
import { nativeAsset } from '../../catalog/assets.ts';
import { sumOf } from '../../money/units.ts';
import { ChainUnavailable, unlessUnavailable } from '../errors.ts';
import { deepestConfirmations } from '../finality.ts';
import { type Resting, restingAt } from '../resting.ts';
import type { WalletCoin, WalletCoins, Watching } from '../watching-port.ts';
import type { MoneroDaemon } from './daemon.ts';
import { depthAt, SPENT_IN_CHAIN, spentStates, UNSPENT } from './depth.ts';
import type { Arrived, Pooled, Progress } from './reading.ts';
import { isUnlocked, type Sorted } from './scan.ts';
import { HOT_MINOR } from './subaddress-index.ts';

/** Tells payments to us from change that comes back to the hot wallet. */
export function sorter(
	walletCoins: Watching['walletCoins'],
): (arrived: readonly (Arrived | Pooled)[]) => Promise<Sorted> {
	/** Is it ours? By the id of each transaction in a block that the wallet has read. */
	const known = new Map<string, boolean>();
	return async (arrived) => {
		const atHot = arrived.filter(({ minor }) => minor === HOT_MINOR);
		for (const txId of known.keys()) if (!atHot.some((each) => each.txId === txId)) known.delete(txId);
		const doubtful = atHot.filter(({ txId }) => !known.has(txId));
		const since = Math.min(Number.MAX_SAFE_INTEGER, ...doubtful.flatMap(({ height }) => height ?? []));
		const wallet = doubtful.length > 0 ? await walletCoins(since).catch(unlessUnavailable) : null;
		const verdicts = new Map(doubtful.map((each) => [each.key, wallet && ownership(each, wallet)]));
		for (const { key, txId, height } of doubtful) {
			const verdict = verdicts.get(key) ?? null;
			if (height !== null && verdict !== null) known.set(txId, verdict);
		}
		const verdictOf = ({ minor, key, txId }: Arrived): boolean | null =>
			minor === HOT_MINOR ? (known.get(txId) ?? verdicts.get(key) ?? null) : false;
		return {
			foreign: arrived.filter((each) => verdictOf(each) === false),
			unknown: arrived.filter((each) => verdictOf(each) === null),
		};
	};
}

/** In a block: did the wallet send it? In the mempool: does it spend a coin of the wallet? Null where that is not known yet. */
function ownership(each: Arrived | Pooled, { blocks, coins, sent }: WalletCoins): boolean | null {
	if ('keyImages' in each) return coins.some(({ keyImage }) => each.keyImages.includes(keyImage));
	return each.height !== null && each.height < blocks ? sent.includes(each.txId) : null;
}

/** The sum that payouts can spend now. @throws ChainUnavailable */
export async function spendable(daemon: MoneroDaemon, { coins }: WalletCoins): Promise<bigint> {
	const free = coins.filter(({ unlocked, frozen }) => unlocked && !frozen);
	return sumOf((await withPlaces(daemon, free)).filter(({ spent }) => spent === UNSPENT));
}

/**
 * The sum that blocks hold, minus what our own payments in the mempool took, plus what is paid to us in the mempool, our
 * change too. Payments to the hot wallet count only once they are deep, unless their payer has locked them.
 * `arrived`: of the blocks that may not be deep yet, and of the mempool. @throws ChainUnavailable
 */
export async function holdings(
	daemon: MoneroDaemon,
	{ blocks, coins }: WalletCoins,
	{ blocks: read, best }: Progress,
	arrived: { readonly foreign: readonly Arrived[]; readonly pooled: readonly Pooled[] | null },
): Promise<bigint> {
	if (!arrived.pooled || blocks !== read)
		throw new ChainUnavailable(`blocks are still being read: ${read} here, ${blocks} by the wallet, of ${best}`);
	const placed = await withPlaces(daemon, coins);
	if (placed.some(({ spent }) => spent === SPENT_IN_CHAIN))
		throw new ChainUnavailable('a block has spent a coin that the wallet holds unspent');
	const shallow = arrived.foreign.filter(
		(each) =>
			each.minor === HOT_MINOR &&
			isUnlocked(each, blocks) &&
			depthAt(blocks, each.height).confirmations < deepestConfirmations('Monero'),
	);
	return sumOf(placed.filter(({ spent }) => spent === UNSPENT)) + sumOf(arrived.pooled) - sumOf(shallow);
}

/** With what monerod says of their key images. */
async function withPlaces(daemon: MoneroDaemon, coins: readonly WalletCoin[]) {
	const states = await spentStates(
		daemon,
		coins.map(({ keyImage }) => keyImage),
	);
	return coins.map((coin, i) => ({ ...coin, spent: states[i] }));
}

/**
 * As `Chain.resting`. One proof is for all addresses: it is the hot wallet's. What is signed and not in a block yet is frozen, and
 * not proven. @throws ChainUnavailable
 */
export async function resting(daemon: MoneroDaemon, { coins }: WalletCoins, hotAddress: string): Promise<Resting> {
	const { blocks, hash } = await daemon.best();
	const amount = sumOf(coins.filter(({ frozen }) => !frozen));
	return restingAt({ height: blocks - 1, hash }, [hotAddress], new Map([[nativeAsset('Monero'), [amount]]]));
}
