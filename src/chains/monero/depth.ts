/** Which transactions the best chain or the mempool holds, and how deep they are. Asks monerod, not the wallet. */
import type { Depth, TransactionDepth } from '../port.ts';
import type { MoneroDaemon } from './daemon.ts';
import { SPENT, TRANSACTIONS, type Transfer, TXID } from './shapes.ts';
import { type ParsedTransaction, parseTransaction } from './transaction.ts';

/** Transactions that a restricted monerod returns in one answer. */
const TRANSACTIONS_PER_CALL = 100;
/** monerod's states of a key image; the third one is `SPENT_IN_POOL`. */
const [UNSPENT, SPENT_IN_CHAIN] = [0, 1];

/** A transaction that the best chain or the mempool holds. */
export interface HeldTransaction {
	readonly depth: Depth;
	/** It is in the mempool, and monerod has seen another transaction that spends the same coins. */
	readonly doubleSpent: boolean;
	/** Null where the node returned no bytes that have this id. */
	readonly parsed: ParsedTransaction | null;
}

/** `blocks`: number of blocks in the best chain. `height`: of the transaction's block; null in the mempool. */
export function depthAt(blocks: number, height: number | null): Depth {
	return { confirmations: height === null ? 0 : Math.max(1, blocks - height), height, irreversible: false };
}

/** `blocks`: number of blocks in the best chain. */
export const depthOf = (blocks: number, { type, height }: Transfer): Depth =>
	depthAt(blocks, type === 'in' ? height : null);

/** By id; absent where neither chain nor mempool holds the transaction. @throws ChainUnavailable */
export async function heldTransactions(
	daemon: MoneroDaemon,
	txIds: Iterable<string>,
): Promise<Map<string, HeldTransaction>> {
	const asked = [...new Set(txIds)].filter((txId) => TXID.test(txId));
	const found = new Map<string, HeldTransaction>();
	if (asked.length === 0) return found;
	const best = await daemon.blocks();
	for (let start = 0; start < asked.length; start += TRANSACTIONS_PER_CALL) {
		const part = asked.slice(start, start + TRANSACTIONS_PER_CALL);
		const { txs = [] } = await daemon.rpc.post(TRANSACTIONS, 'get_transactions', { txs_hashes: part, prune: true });
		for (const { tx_hash, in_pool, block_height, ...transaction } of txs) {
			if (!part.includes(tx_hash) || (!in_pool && block_height === undefined)) continue;
			const parsed = parseTransaction(transaction.pruned_as_hex, transaction.prunable_hash);
			found.set(tx_hash, {
				depth: depthAt(best, in_pool ? null : (block_height ?? null)),
				doubleSpent: in_pool && transaction.double_spend_seen,
				parsed: parsed?.txId === tx_hash ? parsed : null,
			});
		}
	}
	return found;
}

/** As `Chain.transactionDepth`. */
export async function transactionDepth(daemon: MoneroDaemon, txId: string): Promise<TransactionDepth | null> {
	const transaction = (await heldTransactions(daemon, [txId])).get(txId);
	if (!transaction) return null;
	const { depth, parsed } = transaction;
	return { ...depth, reverted: false, fee: depth.height === null ? null : (parsed?.fee ?? null) };
}

/**
 * The place of a transaction that spends one of these coins: the chain, or only the mempool, which may drop it; null
 * where nothing does. @throws ChainUnavailable
 */
export async function whereSpent(
	{ rpc }: MoneroDaemon,
	keyImages: readonly string[],
): Promise<'chain' | 'mempool' | null> {
	const { spent_status } = await rpc.post(SPENT, 'is_key_image_spent', { key_images: keyImages });
	if (spent_status.includes(SPENT_IN_CHAIN)) return 'chain';
	return spent_status.some((status) => status !== UNSPENT) ? 'mempool' : null;
}
