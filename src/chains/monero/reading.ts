/**
 * Reads Monero's blocks and its mempool with the secret view key, as an agent does it: each block once, in order, into its
 * own object. A block counts once its bytes hash to its id, it follows the one before it, and every monerod that answers
 * has it. One that was dropped by the chain is forgotten when its successor is read.
 */
import { ChainUnavailable } from '../errors.ts';
import { inParts } from '../rpc/each-of.ts';
import { type Block, parseBlock } from './block.ts';
import type { MoneroDaemon } from './daemon.ts';
import { fetchTransactions, TRANSACTIONS_PER_CALL } from './depth.ts';
import type { KeptOutput, KeptOutputs } from './kept-outputs.ts';
import type { Looked, LookedAt } from './looked.ts';
import { ask } from './node.ts';
import { BLOCK, POOL } from './shapes.ts';

/** Blocks that one poll reads at most, and at a time. */
const BLOCKS_PER_POLL = 100;
const BLOCKS_AT_ONCE = 10;
/** Transactions of the mempool that one poll fetches. */
const POOLED_PER_POLL = 500;

export type Arrived = Omit<KeptOutput, 'height'> & { readonly height: number | null };

/** `keyImages`: of the coins that its transaction spends. */
export type Pooled = Arrived & { readonly keyImages: readonly string[] };

export interface ReadingParts {
	readonly daemon: MoneroDaemon;
	readonly kept: KeptOutputs;
	readonly looked: LookedAt;
	/** Our address with this spend key and minor index. */
	readonly addressOf: (spendKey: string, minor: number) => string;
}

/** How far blocks were read, and how many there are. */
export interface Progress {
	readonly blocks: number;
	readonly best: number;
}

/**
 * Blocks that are not read yet, from `from` on, as many as one poll may. @throws ChainUnavailable also where monerod has
 * fewer than were read: it was set back, or dropped blocks that have no successors yet
 */
export async function readBlocks(parts: ReadingParts, from: number): Promise<Progress> {
	const { daemon, kept } = parts;
	const { blocks: best, hash } = await daemon.best();
	if ((kept.read()?.first ?? from) > from) kept.forgetBlocks();
	const tip = kept.read()?.tip;
	if (tip?.hash === hash) return { blocks: best, best };
	if (tip && tip.height >= best && kept.hashAt(best - 1) === hash)
		throw new ChainUnavailable(`monerod has only ${best} blocks, ${tip.height + 1} were read before`);
	let next = tip ? await successor(parts, Math.min(tip.height + 1, best - 1)) : Math.min(from, best);
	const end = Math.min(best, next + BLOCKS_PER_POLL);
	while (next < end) {
		const blocks = await chained(parts, next, Math.min(end, next + BLOCKS_AT_ONCE));
		for (const block of blocks) {
			if (!(await keep(parts, next, block))) return { blocks: next, best };
			next++;
		}
	}
	return { blocks: next, best };
}

/** The height where reading goes on: below `height` where the chain has dropped what was read. */
async function successor(parts: ReadingParts, height: number): Promise<number> {
	for (let at = height; ; at--) {
		const before = parts.kept.hashAt(at - 1);
		if (before === null) throw new ChainUnavailable(`monerod's chain is another one since long before block ${at}`);
		if ((await blockAt(parts.daemon, at)).previous === before) return at;
	}
}

/** Blocks `first` to before `end`, each on the one before it, and the last of them agreed. */
async function chained({ daemon, kept }: ReadingParts, first: number, end: number): Promise<Block[]> {
	const heights = Array.from({ length: end - first }, (_, i) => first + i);
	const blocks = await Promise.all(heights.map((height) => blockAt(daemon, height)));
	for (const [i, { previous }] of blocks.entries()) {
		const before = blocks[i - 1]?.hash ?? kept.hashAt(first - 1);
		if (before !== null && previous !== before)
			throw new ChainUnavailable(`block ${first + i} does not follow the one before it`);
	}
	const last = blocks.at(-1);
	if (last) await daemon.requireAgreed(end - 1, last.hash);
	return blocks;
}

/** @throws ChainUnavailable also where its bytes cannot be read, or are of a version that this code does not know */
export async function blockAt({ rpc }: MoneroDaemon, height: number): Promise<Block> {
	const { blob } = await ask(rpc, BLOCK, 'get_block', { height });
	try {
		return parseBlock(blob);
	} catch (error) {
		throw new ChainUnavailable(`block ${height}: ${error instanceof Error ? error.message : error}`);
	}
}

/** False where this poll has done its part before the whole block was looked at. */
async function keep(parts: ReadingParts, height: number, { hash, coinbase, txIds }: Block): Promise<boolean> {
	const { daemon, kept, looked } = parts;
	if (!looked.at(coinbase.txId) && !looked.look(coinbase)) return false;
	const fresh = txIds.filter((txId) => !looked.at(txId));
	for (const part of inParts(fresh, TRANSACTIONS_PER_CALL)) {
		const fetched = await fetchTransactions(daemon, part);
		for (const txId of part) {
			const transaction = fetched.get(txId)?.parsed;
			if (!transaction) throw new ChainUnavailable(`transaction ${txId} of block ${height} cannot be read`);
			if (!looked.look(transaction)) return false;
		}
	}
	const arrived = [coinbase.txId, ...txIds].flatMap((txId) => {
		const seen = looked.at(txId);
		return seen ? arrivedBy(parts, txId, seen) : [];
	});
	kept.add({ height, hash }, arrived);
	return true;
}

const arrivedBy = (
	{ addressOf }: ReadingParts,
	txId: string,
	{ received, unlockTime }: Looked,
): Omit<KeptOutput, 'height'>[] =>
	received.map(({ spendKey, ...each }) => ({ ...each, txId, unlockTime, address: addressOf(spendKey, each.minor) }));

/** The payments to us in the mempool, without those of which another transaction spends the same coins. */
export async function readPool(parts: ReadingParts): Promise<Pooled[]> {
	const { daemon, kept, looked } = parts;
	const { tx_hashes: pooled } = await daemon.rpc.post(POOL, 'get_transaction_pool_hashes', {});
	const fresh = pooled.filter((txId) => !looked.at(txId)).slice(0, POOLED_PER_POLL);
	for (const { parsed } of (await fetchTransactions(daemon, fresh)).values()) if (parsed && !looked.look(parsed)) break;
	const ours = pooled.filter((txId) => looked.at(txId)?.received.length);
	const held = await fetchTransactions(daemon, ours);
	const arrived = ours.flatMap((txId) => {
		const [transaction, seen] = [held.get(txId), looked.at(txId)];
		if (transaction?.height !== null || transaction.doubleSpent || !seen) return [];
		const { keyImages } = seen;
		return arrivedBy(parts, txId, seen).map((each): Pooled => ({ ...each, height: null, keyImages }));
	});
	// In a block already, or beside one that is: such an output can be spent once.
	const free = arrived.filter(({ key }) => !kept.has(key));
	return [...new Map(free.map((each) => [each.key, each])).values()];
}
