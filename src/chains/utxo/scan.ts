/**
 * Lists what the watch-only wallet saw since a block. Usually one list contains everything. But anybody can pay us in
 * tens of thousands of outputs, and a list that is too large to read stays too large. Then the scan reads what it can:
 *
 * - the newest blocks and the mempool, as many as fit into one list, so that a new payment is seen at once;
 * - the blocks before these one by one, transaction by transaction, some in each scan; the cursor follows.
 *
 * A transaction that is too large by itself is reported and skipped. So is a mempool that is too large: its payments
 * are seen once they are in a block.
 */
import { ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { readTransactions } from './depth.ts';
import { ask, askEach } from './node.ts';
import { BLOCK, BLOCK_HASH, BLOCK_HEADER, type Entry, type Place, SINCE_BLOCK } from './shapes.ts';

/**
 * Blocks that each scan lists again: more than any network needs for finality, so that each scan repeats all that is
 * not settled.
 */
const RELISTED_BLOCKS = 12;
/** Transactions that one scan asks about when it reads block by block. The first block is always read to its end. */
const MAX_BLOCK_TRANSACTIONS = 10_000;

export type Listed = Entry & Place;

export interface Listing {
	readonly entries: readonly Listed[];
	/** Where the next scan continues: `hash:height`. */
	readonly cursor: string;
	/** Things that could not be read, one line each. */
	readonly unread: readonly string[];
}

interface Block {
	readonly hash: string;
	readonly height: number;
}

/** `cursor`: what an earlier scan returned, or a block's hash; null lists all that the wallet ever saw. */
export async function listSince(rpc: JsonRpc, cursor: string | null, best: Block): Promise<Listing> {
	const start = cursor === null ? null : await startOf(rpc, cursor);
	const whole = await tryList(rpc, start?.hash ?? '');
	if (whole) return { entries: whole.entries, cursor: await laterOf(rpc, start, whole.lastBlock), unread: [] };
	const tail = await newestThatFit(rpc, start?.height ?? 0, best);
	if (!start) {
		const lost = `the wallet's history up to block ${tail.from.height} is too long to read at once and was not read`;
		return { entries: tail.entries, cursor: cursorOf(tail.from), unread: [...tail.unread, lost] };
	}
	const blocks = await readBlocks(rpc, start, tail.from.height);
	return {
		entries: [...blocks.entries, ...tail.entries],
		cursor: cursorOf(blocks.reached),
		unread: [...tail.unread, ...blocks.unread],
	};
}

const cursorOf = ({ hash, height }: Block): string => `${hash}:${height}`;

/** The height of the block up to which a cursor of `listSince` has read. */
export const heightOf = (cursor: string): number => Number(cursor.split(':')[1]);

/**
 * The block from which the list begins. If a reorganisation undid the cursor's block, that is the last block before the
 * branches part. If the node does not know the cursor's block, it is a few blocks below the cursor's height.
 */
async function startOf(rpc: JsonRpc, cursor: string): Promise<Block> {
	const [hash = '', heightText] = cursor.split(':');
	let block = await headerOf(rpc, hash);
	if (!block && heightText === undefined) throw new ChainUnavailable(`the node does not know block ${hash}`);
	if (!block) return blockAt(rpc, Math.max(0, Number(heightText) - RELISTED_BLOCKS));
	let at = hash;
	while (block && block.confirmations < 0 && block.previousblockhash !== undefined) {
		at = block.previousblockhash;
		block = await headerOf(rpc, at);
	}
	if (!block) throw new ChainUnavailable(`the node does not know block ${at}`);
	return { hash: at, height: block.height };
}

const headerOf = async (rpc: JsonRpc, hash: string) =>
	(await askEach(rpc, BLOCK_HEADER, [{ method: 'getblockheader', params: [hash] }]))[0] ?? null;

export const blockAt = async (rpc: JsonRpc, height: number): Promise<Block> => ({
	hash: await ask(rpc, BLOCK_HASH, 'getblockhash', height),
	height,
});

/** The cursor never moves back: blocks that were read one by one were too much for one list. */
async function laterOf(rpc: JsonRpc, start: Block | null, lastBlock: string): Promise<string> {
	const last = await headerOf(rpc, lastBlock);
	if (!last) throw new ChainUnavailable(`the node does not know block ${lastBlock}`);
	return start && start.height > last.height ? cursorOf(start) : cursorOf({ hash: lastBlock, height: last.height });
}

/** Everything above a block, the mempool included; null where the list is too large to read. */
export async function tryList(rpc: JsonRpc, since: string): Promise<{ entries: Listed[]; lastBlock: string } | null> {
	try {
		const list = await ask(rpc, SINCE_BLOCK, 'listsinceblock', since, RELISTED_BLOCKS, true, false);
		return { entries: list.transactions, lastBlock: list.lastblock };
	} catch (error) {
		// If the list is far too long, the node times out before it answers.
		if (error instanceof ChainUnavailable && (error.tooLarge || error.timedOut)) return null;
		throw error;
	}
}

/**
 * Halves the distance to the best block until the list fits. From the best block itself, the list is only the mempool.
 */
async function newestThatFit(rpc: JsonRpc, floor: number, best: Block) {
	for (let depth = Math.max(0, best.height - floor); depth > 0; ) {
		depth = Math.floor(depth / 2);
		const from = depth === 0 ? best : await blockAt(rpc, best.height - depth);
		const list = await tryList(rpc, from.hash);
		if (list) return { from, entries: list.entries, unread: [] };
	}
	const waits = 'the mempool holds more payments to us than can be read; they are seen when they are in a block';
	return { from: best, entries: [], unread: [waits] };
}

/** The blocks after `start` up to this height, the oldest first; `reached`: the last one that was read. */
async function readBlocks(rpc: JsonRpc, start: Block, until: number) {
	const entries: Listed[] = [];
	const unread: string[] = [];
	let reached = start;
	let asked = 0;
	while (reached.height < until && asked < MAX_BLOCK_TRANSACTIONS) {
		const block = await blockAt(rpc, reached.height + 1);
		const { tx } = await ask(rpc, BLOCK, 'getblock', block.hash, 1);
		const known = await readTransactions(rpc, tx);
		for (const { details, ...place } of known.found.values()) {
			if (place.confirmations > 0) entries.push(...details.map((detail) => ({ ...place, ...detail })));
		}
		for (const txId of known.unreadable)
			unread.push(`transaction ${txId} in block ${block.height} is too large to read`);
		asked += tx.length;
		reached = block;
	}
	return { entries, unread, reached };
}
