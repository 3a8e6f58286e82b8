/**
 * How deep the best chain holds what a transaction sent from inside its calls. What it sends may depend on its block, so
 * it is compared again in each block that holds it: by a trace, and where no trace can be had, by what the address holds.
 * No receipt is read: the sender of the transaction decides how large that is.
 */

import type { DepositRef } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { balancesAt } from './balances.ts';
import { canonicalHeights, type Tips, tipsOf } from './depth.ts';
import { ask, askEach } from './node.ts';
import { BLOCK_OF_IDS, hexOf, TRANSACTION_ID, TRANSACTION_OR_NONE } from './shapes.ts';
import { type InternalCredits, tracer } from './trace.ts';

/** Blocks that one poll traces at most. */
const MAX_TRACED = 10;
/** A block that could not be traced is not traced again for this long, milliseconds. */
const UNTRACED_MILLISECONDS = 600_000;
/** Blocks that are remembered. */
const MAX_REMEMBERED = 2_000;

/**
 * A height; `pending` in the mempool; null where the chain no longer sends this amount; `unknown` where nobody can
 * tell.
 */
export type InternalPlace = number | 'pending' | 'unknown' | null;

interface Remembered {
	/** Null where the block could not be traced. */
	readonly credits: InternalCredits | null;
	/** Unix milliseconds of the trace. */
	readonly at: number;
}

interface Held {
	readonly height: number;
	readonly blockHash: string;
}

/** Remembers for one node pool what each block sent, so that a block is traced once. */
export class InternalDeposits {
	readonly #rpc: JsonRpc;
	readonly #traced = new Map<string, Remembered>();

	constructor(rpc: JsonRpc) {
		this.#rpc = rpc;
	}

	/** `refs`: each with the position `internal`. @throws ChainUnavailable */
	async places(refs: readonly DepositRef[]): Promise<ReadonlyMap<DepositRef, InternalPlace>> {
		const found = new Map<DepositRef, InternalPlace>();
		if (refs.length === 0) return found;
		const told = await this.#told(refs);
		const blocks = [...told.values()].filter((place) => place !== 'pending');
		await this.#trace(new Map(blocks.map(({ blockHash, height }) => [blockHash, height])));
		const doubtful: (readonly [DepositRef, number])[] = [];
		for (const ref of refs) {
			const place = told.get(ref.txId) ?? null;
			if (place === null || place === 'pending') {
				found.set(ref, place);
				continue;
			}
			const credits = this.#traced.get(place.blockHash)?.credits;
			const sent = credits?.get(ref.address.toLowerCase())?.get(ref.txId) ?? 0n;
			if (credits) found.set(ref, sent === ref.amount ? place.height : null);
			else if (this.#traced.has(place.blockHash)) doubtful.push([ref, place.height]);
			else found.set(ref, 'unknown');
		}
		for (const [ref, place] of await this.#byBalance(doubtful, refs)) found.set(ref, place);
		return found;
	}

	/** Where the chain holds these transactions; those that it does not hold are left out. */
	async #told(refs: readonly DepositRef[]): Promise<Map<string, Held | 'pending'>> {
		const txIds = [...new Set(refs.map(({ txId }) => txId))].filter((txId) => TRANSACTION_ID.test(txId));
		const calls = txIds.map((txId) => ({ method: 'eth_getTransactionByHash', params: [txId] }));
		const answers = await askEach(this.#rpc, TRANSACTION_OR_NONE, calls);
		const held = answers.flatMap((each, at) => (each && each.hash === txIds[at] ? [each] : []));
		const inBlocks = held.flatMap(({ hash, blockHash, blockNumber: height }) =>
			typeof blockHash === 'string' && typeof height === 'number' ? [{ hash, blockHash, height }] : [],
		);
		const canonical = await canonicalHeights(
			this.#rpc,
			inBlocks.map(({ blockHash, height }) => [blockHash, height]),
		);
		const places = new Map<string, Held | 'pending'>();
		for (const { hash, blockNumber } of held) if (typeof blockNumber !== 'number') places.set(hash, 'pending');
		for (const { hash, ...place } of inBlocks) if (canonical.has(place.blockHash)) places.set(hash, place);
		return places;
	}

	/** By hash and height. Ends at the first that cannot be traced: the others have their turn at the next poll. */
	async #trace(blocks: ReadonlyMap<string, number>): Promise<void> {
		const now = Date.now();
		const isDue = (known: Remembered | undefined) =>
			!known || (known.credits === null && now - known.at > UNTRACED_MILLISECONDS);
		const due = [...blocks].filter(([hash]) => isDue(this.#traced.get(hash))).slice(0, MAX_TRACED);
		if (this.#traced.size > MAX_REMEMBERED) this.#traced.clear();
		const trace = tracer(this.#rpc);
		for (const [hash, height] of due) {
			const credits = await this.#creditsOf(trace, hash, height);
			this.#traced.set(hash, { credits, at: now });
			if (credits === null) return;
		}
	}

	async #creditsOf(trace: ReturnType<typeof tracer>, hash: string, height: number): Promise<InternalCredits | null> {
		const blockNow = () => ask(this.#rpc, BLOCK_OF_IDS, 'eth_getBlockByNumber', hexOf(height), false);
		const block = await blockNow();
		const credits = block.hash === hash ? await trace(height, block.transactions) : null;
		// A trace is asked for by height, and another block may have taken that place meanwhile.
		return credits !== null && (await blockNow()).hash === hash ? credits : null;
	}

	/** As far as its address holds all that is on record for it now; an address that holds less is no proof of either. */
	async #byBalance(
		doubtful: readonly (readonly [DepositRef, number])[],
		refs: readonly DepositRef[],
	): Promise<(readonly [DepositRef, InternalPlace])[]> {
		if (doubtful.length === 0) return [];
		const { head }: Tips = await tipsOf(this.#rpc);
		const addresses = [...new Set(doubtful.map(([{ address }]) => address.toLowerCase()))];
		const balances = await balancesAt(this.#rpc, null, addresses, head);
		const onRecord = (address: string): bigint =>
			refs.reduce((sum, ref) => (ref.address.toLowerCase() === address ? sum + ref.amount : sum), 0n);
		const held = new Map(addresses.map((address, at) => [address, (balances[at] ?? 0n) >= onRecord(address)]));
		return doubtful.map(([ref, height]) => [ref, held.get(ref.address.toLowerCase()) ? height : 'unknown'] as const);
	}
}
