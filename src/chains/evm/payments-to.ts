/**
 * Payments that the hot wallet made since a moment, found by what they pay: for a payment that may be sent and is not on
 * record. Payments in the coin are found by the wallet's nonce: only blocks in which it grew hold any. Payments in a token
 * are found by the contract's logs. What cannot be read to the end is an error: a payment must not look unsent.
 */
import { ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { transactionPlaces } from './depth.ts';
import { ask, askEach } from './node.ts';
import { blocksThatSent } from './nonce-search.ts';
import { type EvmParams, TEST_CHAIN_ID } from './params.ts';
import { BLOCK_OF_SENDERS, HEIGHT, hexOf, TIMED_BLOCK } from './shapes.ts';
import { transfersFrom } from './transfers-from.ts';

/** The operator asks for many payments at once; they share one search. */
const KEPT_MILLISECONDS = 30_000;
/** Block times may be so much before the real ones. */
const CLOCK_MILLISECONDS = 900_000;
/** A node whose newest block is older than this does not follow its chain. Ours have a block each few seconds. */
const STALE_MILLISECONDS = 600_000;

interface Sent {
	readonly txId: string;
	/** Lower case. */
	readonly to: string;
	readonly amount: bigint;
}

interface Wanted {
	/** Null for the coin. */
	readonly contract: string | null;
	readonly to: string;
	readonly amount: bigint;
	/** Unix milliseconds. */
	readonly since: number;
}

export class SentPayments {
	readonly #rpc: JsonRpc;
	readonly #params: EvmParams;
	readonly #hotAddress: string;
	readonly #searches = new Map<string, { readonly at: number; readonly found: Promise<readonly Sent[]> }>();

	constructor(rpc: JsonRpc, params: EvmParams, hotAddress: string) {
		this.#rpc = rpc;
		this.#params = params;
		this.#hotAddress = hotAddress.toLowerCase();
	}

	/** Ids of transactions in the best chain that succeeded. @throws ChainUnavailable */
	async to({ contract, to, amount, since }: Wanted): Promise<string[]> {
		const sent = await this.#sentSince(contract, since);
		const txIds = sent.filter((one) => one.to === to.toLowerCase() && one.amount === amount).map(({ txId }) => txId);
		const places = await transactionPlaces(this.#rpc, txIds);
		return [...new Set(txIds)].filter((txId) => places.get(txId)?.success);
	}

	#sentSince(contract: string | null, since: number): Promise<readonly Sent[]> {
		const key = `${contract} ${since}`;
		const now = Date.now();
		for (const [name, { at }] of this.#searches) if (now - at > KEPT_MILLISECONDS) this.#searches.delete(name);
		const found = this.#searches.get(key)?.found ?? this.#search(contract, since);
		if (!this.#searches.has(key)) this.#searches.set(key, { at: now, found });
		// A search that failed is no answer to the next question.
		found.catch(() => this.#searches.delete(key));
		return found;
	}

	async #search(contract: string | null, since: number): Promise<readonly Sent[]> {
		const head = await this.#followedHead(since);
		const from = await firstBlockSince(this.#rpc, head.number, Math.floor((since - CLOCK_MILLISECONDS) / 1000));
		const range = { account: this.#hotAddress, from, to: head.number };
		if (contract !== null) return transfersFrom(this.#rpc, contract, range);
		const heights = await blocksThatSent(this.#rpc, range);
		const calls = heights.map((height) => ({ method: 'eth_getBlockByNumber', params: [hexOf(height), true] }));
		// One by one, because each may be large.
		const sent: Sent[] = [];
		for (const call of calls) {
			const [block] = await askEach(this.#rpc, BLOCK_OF_SENDERS, [call]);
			for (const { hash, from: sender, to, value } of block?.transactions ?? [])
				if (sender === this.#hotAddress && to) sent.push({ txId: hash, to, amount: value });
		}
		return sent;
	}

	/** @throws ChainUnavailable where a payment may be in no block that this node shows */
	async #followedHead(since: number) {
		const head = await ask(this.#rpc, TIMED_BLOCK, 'eth_getBlockByNumber', 'latest', false);
		const isTest = this.#params.chainId === TEST_CHAIN_ID;
		if (head.timestamp * 1000 < Math.max(since, isTest ? 0 : Date.now() - STALE_MILLISECONDS))
			throw new ChainUnavailable('the node has no new block: it may not follow its chain');
		const calls = ['latest', 'pending'].map((tag) => ({
			...{ method: 'eth_getTransactionCount', params: [this.#hotAddress, tag] },
		}));
		const [mined = 0, all = 0] = await askEach(this.#rpc, HEIGHT, calls);
		if (all > mined) throw new ChainUnavailable('transactions of the hot wallet are in the mempool: ask again later');
		return head;
	}
}

/** The lowest height whose block is not before that time, Unix seconds; `head` where there is none below. */
async function firstBlockSince(rpc: JsonRpc, head: number, time: number): Promise<number> {
	let [low, high] = [0, head];
	while (low < high) {
		const middle = Math.floor((low + high) / 2);
		const { timestamp } = await ask(rpc, TIMED_BLOCK, 'eth_getBlockByNumber', hexOf(middle), false);
		if (timestamp < time) low = middle + 1;
		else high = middle;
	}
	return low;
}
