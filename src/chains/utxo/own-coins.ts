/**
 * Outputs that the signer may spend, each with its key: deep outputs, our own change, and the inputs of an earlier
 * version of a payment. By the signer's own coin book, which is read from proven blocks: so amounts are proven too, which
 * a legacy signature does not cover. An output is ours only if one of our keys derives its address.
 */
import { hex } from '@scure/base';
import { ChainUnavailable, InsufficientReserve } from '../errors.ts';
import type { Judges } from '../judge-keys.ts';
import type { SigningState } from '../signing-port.ts';
import { coinsAt as bookCoinsAt, largestCoins, unconfirmedMade, youngChange } from './book/reads.ts';
import { byAmount } from './coins.ts';
import { smallOutputs } from './consolidation.ts';
import { keyOf } from './depth.ts';
import type { UtxoKeys } from './keys.ts';
import { ownAddressOf } from './own-script.ts';
import { coinOf } from './proof.ts';
import type { SigningCoin } from './transaction.ts';
import { type Outpoint, readTransaction } from './transaction-bytes.ts';
import { formOf, type Watching } from './watching.ts';

/** An unspent output at an address of ours. */
export interface Coin extends SigningCoin {
	readonly outpoint: string;
}

interface Output extends Outpoint {
	readonly address: string;
	readonly amount: bigint;
	/** Null where no block holds it. */
	readonly height: number | null;
}

export interface Wallet {
	readonly watching: Watching;
	readonly keys: UtxoKeys;
	/** Where both judges sign: which one this is. */
	readonly role: Judges['role'] | null;
}

/** Far more than one transaction spends; the largest. */
const MAX_COINS = 4_000;
/** Our own change that is not deep yet, the largest first. */
const MAX_CHANGE = 200;
/** Nodes relay chains of at most 25 unconfirmed transactions. Ours stay shorter, and then wait for a block. */
const MAX_UNCONFIRMED_ANCESTORS = 20;

const isFree =
	({ spent }: SigningState) =>
	(output: Outpoint): boolean =>
		!spent.has(coinOf(output));

async function deepOutputs({ watching: { keeper, book, deepest } }: Wallet, state: SigningState): Promise<Output[]> {
	const last = await keeper.current();
	return largestCoins(book, { upTo: last.height - deepest + 1, count: MAX_COINS }).filter(isFree(state));
}

/** The coins of one choice; `isTaken`: leaves out coins that the provider's mempool spends, by their outpoints. */
export type Coins = (only: 'confirmed' | 'any', isTaken: ReadonlySet<string>) => Iterable<Coin>;

/**
 * Largest first. A coin is spendable if it is deep enough for a deposit of any value, or if it is our own change: nobody
 * else can undo that.
 */
export async function spendableCoins(wallet: Wallet, state: SigningState): Promise<Coins> {
	const { book, deepest, keeper } = wallet.watching;
	const deep = await deepOutputs(wallet, state);
	const last = await keeper.current();
	const young = youngChange(book, last.height - deepest + 1, MAX_CHANGE).filter(
		({ matures }) => matures <= last.height + 1,
	);
	const change = [...young, ...(await unconfirmedChange(wallet))].filter(isFree(state));
	// Where a payment has several versions, another version may confirm. Then this version's change never exists.
	const sure = change.filter(({ txId }) => !state.spent.has({ kind: 'version', txId }));
	return (only, isTaken) => {
		const all = [...deep, ...sure].filter((output) => !isTaken.has(keyOf(output)));
		return keyed(wallet, only === 'any' ? all : all.filter(({ height }) => height !== null), state);
	};
}

/** The change of transactions that this signer made and its own provider's mempool holds. */
async function unconfirmedChange({ watching, keys }: Wallet): Promise<Output[]> {
	const { book, sources } = watching;
	const made = unconfirmedMade(book, MAX_CHANGE);
	const pooled = made.length === 0 ? [] : await sources.use((source) => source.pooled(made.map(({ txId }) => txId)));
	return made.flatMap(({ txId, raw }, at) => {
		if ((pooled[at]?.ancestors ?? Infinity) > MAX_UNCONFIRMED_ANCESTORS) return [];
		return outputsOf(watching, raw).flatMap((output) =>
			output.address === keys.hot.address ? [{ ...output, txId, height: null }] : [],
		);
	});
}

const outputsOf = ({ params }: Watching, raw: string) =>
	readTransaction(hex.decode(raw), formOf(params)).outputs.flatMap(({ script, amount }, vout) => {
		const address = ownAddressOf(script, params);
		return address === null ? [] : [{ vout, address, amount }];
	});

/** Confirmed coins, largest first: what a fee bump may spend beside the inputs of the earlier version (BIP125). */
export const deepCoins = async (wallet: Wallet, state: SigningState): Promise<Iterable<Coin>> =>
	keyed(wallet, await deepOutputs(wallet, state), state);

/** The smallest coins that are deep enough and worth joining, and the current fee rate (`consolidation.ts`). */
export async function smallCoins(wallet: Wallet, state: SigningState): Promise<{ coins: Coin[]; rate: bigint }> {
	const { keeper, sources, book, params, deepest } = wallet.watching;
	const deep = (await keeper.current()).height - deepest + 1;
	const { coins, rate } = await sources.use((source) =>
		smallOutputs(source, book, params, { deep, isFree: isFree(state) }),
	);
	return { coins: [...keyed(wallet, coins, state)], rate };
}

/**
 * The coins of a draft, in its order: as `spendableCoins`, or kept from the version that it replaces. @throws
 * InsufficientReserve where one is none, or is reserved
 */
export async function draftCoins(
	wallet: Wallet,
	outpoints: readonly Outpoint[],
	state: SigningState,
	kept: readonly Outpoint[],
): Promise<Coin[]> {
	const { book, keeper, deepest } = wallet.watching;
	const deep = (await keeper.current()).height - deepest + 1;
	const isKept = new Set(kept.map(keyOf));
	const free = outpoints.filter((outpoint) => !isKept.has(keyOf(outpoint)) && isFree(state)(outpoint));
	const inBlocks = bookCoinsAt(book, free).filter(
		({ height, isChange, matures, spentBy }) =>
			spentBy === null && matures <= deep + deepest && (height <= deep || isChange),
	);
	const wanted = new Set(free.map(keyOf));
	const young = (await unconfirmedChange(wallet)).filter((output) => wanted.has(keyOf(output)));
	const sure = [...inBlocks, ...young].filter(
		({ txId, height }) => (height !== null && height <= deep) || !state.spent.has({ kind: 'version', txId }),
	);
	const coins = [...keyed(wallet, sure, state), ...(await coinsAt(wallet, kept, state))];
	const byOutpoint = new Map(coins.map((coin) => [coin.outpoint, coin]));
	return outpoints.map((outpoint) => {
		const coin = byOutpoint.get(keyOf(outpoint));
		// A coin that is named twice is there once.
		byOutpoint.delete(keyOf(outpoint));
		if (coin) return coin;
		throw new InsufficientReserve(`${keyOf(outpoint)} is no coin that may be spent now`);
	});
}

/**
 * The inputs of an earlier version of a payment. @throws ChainUnavailable where neither the book nor what this signer made
 * has one of them
 */
export async function coinsAt(wallet: Wallet, outpoints: readonly Outpoint[], state: SigningState): Promise<Coin[]> {
	const { watching } = wallet;
	const last = await watching.keeper.current();
	const inBlocks = bookCoinsAt(watching.book, outpoints).filter(({ height }) => height <= last.height);
	const known = new Set(inBlocks.map(keyOf));
	const made = new Map(unconfirmedMade(watching.book, MAX_CHANGE).map(({ txId, raw }) => [txId, raw]));
	const unconfirmed = outpoints.flatMap(({ txId, vout }): Output[] => {
		const raw = known.has(keyOf({ txId, vout })) ? undefined : made.get(txId);
		const output = raw && outputsOf(watching, raw).find((each) => each.vout === vout);
		return output ? [{ ...output, txId, height: null }] : [];
	});
	const coins = [...keyed(wallet, [...inBlocks, ...unconfirmed], state)];
	if (coins.length < outpoints.length)
		throw new ChainUnavailable('the coin book does not know what the payment spends');
	return coins;
}

/** Largest first. Derives a key only when the caller takes its coin. A coin whose index derives another address is left out. */
function* keyed(
	{ keys: { hot, payIn } }: Wallet,
	outputs: readonly Output[],
	state: SigningState,
): Generator<Coin, undefined> {
	const strangers = outputs.flatMap(({ address }) => (address === hot.address ? [] : address));
	const indexes = state.indexesOf([...new Set(strangers)]);
	const coins = outputs.map((output) => ({ ...output, outpoint: keyOf(output) }));
	for (const { address, height: _, ...coin } of coins.sort(byAmount)) {
		const index = indexes.get(address);
		const key = address === hot.address ? hot : index !== undefined && payIn(index);
		if (key && key.address === address) yield { ...coin, key };
	}
}
