/**
 * What monerod says of the chain itself. It is asked beside the wallet because the wallet does not notice blocks that
 * were taken away until others come, and cannot say what is in the mempool that is not its own.
 */
import { ChainUnavailable } from '../errors.ts';
import type { Depth } from '../port.ts';
import { ask, type MoneroRpc } from './node.ts';
import { FEE_ESTIMATE, INFO, SPENT, TRANSACTIONS, TXID } from './shapes.ts';
import { type ParsedTransaction, parseTransaction } from './transaction.ts';

/** Transactions that a restricted monerod answers for at once. */
const TRANSACTIONS_PER_CALL = 100;
/** Index of `normal` among the four fees that monerod names; older ones name a single fee. */
const NORMAL_FEE = 1;
/** Piconero per byte of a transaction that are believed at all; regtest's, where rewards are large, are within. */
const MIN_FEE_PER_BYTE = 20_000n;
const MAX_FEE_PER_BYTE = 10_000_000n;
/** Bytes of a payout as it usually is, two inputs and two outputs, as the wallet itself estimates it. */
const TYPICAL_BYTES = 2_215n;

/** A transaction that the best chain or the mempool holds. */
export interface HeldTransaction {
	readonly depth: Depth;
	/** In the mempool, and another transaction that spends the same was seen. */
	readonly doubleSpent: boolean;
	/** Null where the node gave no bytes that have this id. */
	readonly parsed: ParsedTransaction | null;
}

export interface MoneroDaemon {
	/** Blocks of the best chain. @throws ChainUnavailable also from a node of another chain, or one that catches up. */
	blocks(): Promise<number>;
	/** Absent where neither chain nor mempool holds it. */
	held(txIds: Iterable<string>): Promise<Map<string, HeldTransaction>>;
	/** Does the chain or the mempool hold something that spends one of these? */
	areSpent(keyImages: readonly string[]): Promise<boolean>;
	/** Piconero for one payout, between floor and ceiling. */
	typicalFee(): Promise<bigint>;
}

/** Blocks on top of a place on the chain, its own included. */
export function depthAt(blocks: number, height: number | null): Depth {
	return { confirmations: height === null ? 0 : Math.max(1, blocks - height), height, irreversible: false };
}

/** `chain`: the name that monerod must give its chain. */
export function moneroDaemon(rpc: MoneroRpc, chain: string): MoneroDaemon {
	async function blocks(): Promise<number> {
		const { nettype, height, synchronized } = await ask(rpc, INFO, 'get_info');
		if (nettype !== chain) throw new ChainUnavailable(`monerod is on ${nettype}, not on ${chain}`);
		if (!synchronized) throw new ChainUnavailable(`monerod is still catching up, at height ${height}`);
		return height;
	}

	return {
		blocks,

		async held(txIds) {
			const asked = [...new Set(txIds)].filter((txId) => TXID.test(txId));
			const found = new Map<string, HeldTransaction>();
			if (asked.length === 0) return found;
			const best = await blocks();
			for (let start = 0; start < asked.length; start += TRANSACTIONS_PER_CALL) {
				const part = asked.slice(start, start + TRANSACTIONS_PER_CALL);
				const { txs = [] } = await rpc.post(TRANSACTIONS, 'get_transactions', { txs_hashes: part, prune: true });
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
		},

		async areSpent(keyImages) {
			const { spent_status } = await rpc.post(SPENT, 'is_key_image_spent', { key_images: keyImages });
			return spent_status.some((status) => status !== 0);
		},

		async typicalFee() {
			const { fee, fees } = await ask(rpc, FEE_ESTIMATE, 'get_fee_estimate');
			const perByte = BigInt(fees?.[NORMAL_FEE] ?? fee);
			if (perByte < MIN_FEE_PER_BYTE) return MIN_FEE_PER_BYTE * TYPICAL_BYTES;
			return (perByte < MAX_FEE_PER_BYTE ? perByte : MAX_FEE_PER_BYTE) * TYPICAL_BYTES;
		},
	};
}
