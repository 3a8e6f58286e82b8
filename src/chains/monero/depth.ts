/** Which transactions the best chain or the mempool holds, and how deep they are. Asks monerod, not the wallet. */
import type { Depth, Overtaker, TransactionDepth } from '../port.ts';
import { inParts } from '../rpc/each-of.ts';
import type { MoneroDaemon } from './daemon.ts';
import { SPENT, TRANSACTIONS, TXID } from './shapes.ts';
import { type ParsedTransaction, parseTransaction } from './transaction.ts';

/** Transactions that a restricted monerod returns in one answer. */
export const TRANSACTIONS_PER_CALL = 100;
/** monerod's states of a key image; the third one is `SPENT_IN_POOL`. */
export const [UNSPENT, SPENT_IN_CHAIN] = [0, 1] as const;
/** Key images that a restricted monerod looks up in one call. */
const KEY_IMAGES_PER_CALL = 5_000;

/** A transaction as a monerod has it. */
export interface FetchedTransaction {
	/** The height of its block; null in the mempool. */
	readonly height: number | null;
	/** It is in the mempool, and monerod has seen another transaction that spends the same coins. */
	readonly doubleSpent: boolean;
	/** Null where the node returned no bytes that have this id, or this code cannot read them. */
	readonly parsed: ParsedTransaction | null;
}

/** With the place in the best chain. */
export interface HeldTransaction extends Omit<FetchedTransaction, 'height'> {
	readonly depth: Depth;
}

/** `blocks`: number of blocks in the best chain. `height`: of the transaction's block; null in the mempool. */
export function depthAt(blocks: number, height: number | null): Depth {
	return { confirmations: height === null ? 0 : Math.max(1, blocks - height), height, irreversible: false };
}

/** By id; absent where neither chain nor mempool holds the transaction. @throws ChainUnavailable */
export async function heldTransactions(
	daemon: MoneroDaemon,
	txIds: Iterable<string>,
): Promise<Map<string, HeldTransaction>> {
	const asked = [...new Set(txIds)].filter((txId) => TXID.test(txId));
	if (asked.length === 0) return new Map();
	const best = await daemon.blocks();
	const fetched = await fetchTransactions(daemon, asked);
	return new Map([...fetched].map(([txId, { height, ...held }]) => [txId, { ...held, depth: depthAt(best, height) }]));
}

/** As `heldTransactions`, without asking for the height of the chain. */
export async function fetchTransactions(
	daemon: MoneroDaemon,
	txIds: readonly string[],
): Promise<Map<string, FetchedTransaction>> {
	const found = new Map<string, FetchedTransaction>();
	for (const part of inParts(txIds, TRANSACTIONS_PER_CALL)) await fetchPart(daemon, part, { prune: true }, found);
	// The id of one of version 1 commits to bytes that a node prunes.
	const unread = [...found].flatMap(([txId, { parsed }]) => (parsed ? [] : [txId]));
	for (const part of inParts(unread, TRANSACTIONS_PER_CALL)) await fetchPart(daemon, part, { prune: false }, found);
	return found;
}

async function fetchPart(
	{ rpc }: MoneroDaemon,
	txIds: readonly string[],
	{ prune }: { readonly prune: boolean },
	found: Map<string, FetchedTransaction>,
): Promise<void> {
	const { txs = [] } = await rpc.post(TRANSACTIONS, 'get_transactions', { txs_hashes: txIds, prune });
	for (const { tx_hash, in_pool, block_height, double_spend_seen, ...bytes } of txs) {
		if (!txIds.includes(tx_hash) || (!in_pool && block_height === undefined)) continue;
		const parsed = prune ? parseTransaction(bytes.pruned_as_hex, bytes.prunable_hash) : parseTransaction(bytes.as_hex);
		found.set(tx_hash, {
			height: in_pool ? null : (block_height ?? null),
			doubleSpent: in_pool && double_spend_seen,
			parsed: parsed?.txId === tx_hash ? parsed : null,
		});
	}
}

/** As `Chain.transactionDepth`. */
export async function transactionDepth(daemon: MoneroDaemon, txId: string): Promise<TransactionDepth | null> {
	const transaction = (await heldTransactions(daemon, [txId])).get(txId);
	if (!transaction) return null;
	const { depth, parsed } = transaction;
	return { ...depth, reverted: false, fee: depth.height === null ? null : (parsed?.fee ?? null) };
}

/** The one of the wallet's transactions that spends one of these coins; null where none does. @throws ChainUnavailable */
export async function spenderOf(
	daemon: MoneroDaemon,
	sent: readonly string[],
	keyImages: readonly string[],
): Promise<Overtaker | null> {
	const held = await heldTransactions(daemon, sent);
	const found = [...held].find(([, { parsed }]) => parsed?.keyImages.some((each) => keyImages.includes(each)));
	return found ? { txId: found[0], ...found[1].depth } : null;
}

/**
 * The place of a transaction that spends one of these coins: the chain, or only the mempool, which may drop it; null
 * where nothing does. @throws ChainUnavailable
 */
export async function whereSpent(
	daemon: MoneroDaemon,
	keyImages: readonly string[],
): Promise<'chain' | 'mempool' | null> {
	const states = await spentStates(daemon, keyImages);
	if (states.includes(SPENT_IN_CHAIN)) return 'chain';
	return states.some((state) => state !== UNSPENT) ? 'mempool' : null;
}

/** The state of each, in their order. @throws ChainUnavailable */
export async function spentStates({ rpc }: MoneroDaemon, keyImages: readonly string[]): Promise<number[]> {
	const states: number[] = [];
	for (const part of inParts(keyImages, KEY_IMAGES_PER_CALL)) {
		const { spent_status } = await rpc.post(SPENT, 'is_key_image_spent', { key_images: part });
		states.push(...part.map((_, i) => spent_status[i] ?? UNSPENT));
	}
	return states;
}
