/**
 * The answers of a provider of a UTXO network, whatever its dialect (`source/`). Bytes are proven before they get here:
 * a block's transactions hash to its header, and its header to the hash that was asked for (not Dash's, whose X11
 * nothing here computes); a transaction hashes to its id. What no bytes prove (heights, depths, unspent outputs, fees)
 * is the provider's word: a caller that moves money by it asks another provider, or the chain of headers.
 *
 * Each method throws `ChainUnavailable` where the provider does not answer, answers nonsense or lacks what it must
 * have. Each method asks one provider; a task of several calls runs inside one `Sources.use`, because two providers may
 * be on two branches.
 */
import type { UseNode } from '../rpc/failover.ts';
import type { Block } from './split.ts';
import type { Outpoint, Transaction } from './transaction-bytes.ts';

export interface Tip {
	readonly height: number;
	readonly hash: string;
}

/** An unspent output. */
export interface UnspentOutput {
	/** Base units. */
	readonly amount: bigint;
	readonly script: Uint8Array;
	/** 0 in the mempool. */
	readonly confirmations: number;
}

/** A transaction in the mempool and its unconfirmed ancestors together, itself included. */
export interface Pooled {
	/** How many they are. */
	readonly ancestors: number;
	readonly virtualBytes: number;
	/** Base units. */
	readonly fee: bigint;
}

/** A transaction that the mempool is said to hold. A hint: nothing here proves it. */
export type PoolTransaction = Pick<Transaction, 'id' | 'spends' | 'outputs'>;

/**
 * `sent`: the provider took it, or knows it already. Missing inputs have three reasons, and the provider does not say
 * which: all outputs of this very transaction are spent; it has not seen an earlier transaction of ours; another one
 * spent the inputs.
 */
export type Broadcast = 'sent' | { readonly missingInputs: string };

export interface Source {
	/** For messages: the URL's host alone. */
	readonly host: string;

	/** Also throws while the provider is still catching up. */
	tip(): Promise<Tip>;
	/** The best chain's; null above its tip. */
	hashAt(height: number): Promise<string | null>;
	/** 80 bytes each, of the best chain, from this height on; fewer where it ends. Nothing about them is checked here. */
	headers(from: number, count: number): Promise<Uint8Array[]>;
	/** A block of any branch. Also throws where the provider has pruned it. */
	block(hash: string): Promise<Block>;
	/**
	 * In order; null where it is spent or does not exist. `pool`: does the mempool count, so that what it spends is spent
	 * and what it makes exists?
	 */
	outputs(outpoints: readonly Outpoint[], pool: 'with pool' | 'without pool'): Promise<(UnspentOutput | null)[]>;
	/**
	 * From this block, or with null from the mempool (some providers then also find those in blocks). Null where it is not
	 * found, or where its bytes do not hash to its id, as those of a transaction that lives in MWEB alone never do.
	 */
	transaction(txId: string, blockHash: string | null): Promise<Transaction | null>;
	/** In order; null where the mempool does not hold it. */
	pooled(txIds: readonly string[]): Promise<(Pooled | null)[]>;
	/**
	 * First signs of payments: transactions of the mempool that this source has not returned before. One that is lost is
	 * seen in its block, and `pooled` tells whether the mempool still holds it. A provider that knows addresses is asked
	 * for these, some each time; another shows all of its mempool while that is small, and nothing while it is large.
	 */
	pool(addresses: readonly string[]): Promise<PoolTransaction[]>;
	/** Estimate for a confirmation within so many blocks, base units per 1000 vB; 0 where there is none. */
	feeRate(blocks: number): Promise<bigint>;
	/** The lowest rate that the provider takes now, base units per 1000 vB; 0 where it does not say. */
	floorRate(): Promise<bigint>;
	/** Repeating it is safe. @throws BroadcastRejected where the transaction is refused for good, or pays too little now */
	broadcast(raw: string): Promise<Broadcast>;
	/** Dash: has a ChainLock settled this block? False where there is no such thing or the provider cannot tell. */
	isLocked(hash: string): Promise<boolean>;
}

/** The providers of one network, the preferred first, each checked to be on our chain before it is asked anything else. */
export interface Sources {
	/** Runs a task on the first one that does all of it. */
	readonly use: UseNode<Source>;
	/** Each by itself, for what two must agree on and for checks. */
	readonly each: readonly (<T>(task: (source: Source) => Promise<T>) => Promise<T>)[];
}

/** As `Source`, before bytes are proven: what each dialect implements. */
export interface Dialect extends Omit<Source, 'block' | 'transaction'> {
	block(hash: string): Promise<Uint8Array>;
	transaction(txId: string, blockHash: string | null): Promise<Uint8Array | null>;
}
