/**
 * The place in the best chain of deposits that a transaction sent from inside its calls. What it sends may depend on
 * its block, so the amount is compared again for each block that holds the transaction: by a trace or, where there is
 * none, by the address's balance. No receipt is read, because the transaction's sender decides how large it is.
 */
import type { DepositRef } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { balancesAt } from './balances.ts';
import { headOf, type Mined, minedPlaces, transactionsOf } from './depth.ts';
import { ask } from './node.ts';
import { BLOCK_OF_IDS, hexOf } from './shapes.ts';
import { type InternalCredits, tracer } from './trace.ts';

/** Blocks that one poll traces at most. */
const MAX_TRACED = 10;
/** A block that could not be traced is not traced again for this long, milliseconds. */
const UNTRACED_MILLISECONDS = 600_000;
/** Blocks that are kept in memory. */
const MAX_REMEMBERED = 2_000;

/**
 * A height; `pending` in the mempool; null where the best chain no longer holds it with this amount; `unknown` where
 * neither trace nor balance tells.
 */
export type InternalPlace = number | 'pending' | 'unknown' | null;

interface Remembered {
	/** Null where the block could not be traced. */
	readonly credits: InternalCredits | null;
	/** Unix milliseconds of the trace. */
	readonly at: number;
}

/** Remembers, for one pool of nodes, what each block sent, so that a block is traced only once. */
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
		const placed = await this.#placesOf(refs);
		const blocks = [...placed.values()].filter((place) => place !== 'pending');
		await this.#trace(new Map(blocks.map(({ blockHash, height }) => [blockHash, height])));
		const doubtful: (readonly [DepositRef, number])[] = [];
		for (const ref of refs) {
			const place = placed.get(ref.txId) ?? null;
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

	/** Where the chain holds these transactions. Those that it does not hold are left out. */
	async #placesOf(refs: readonly DepositRef[]): Promise<Map<string, Mined | 'pending'>> {
		const held = [...(await transactionsOf(this.#rpc, txIdsOf(refs))).values()];
		const pending = held.filter(({ blockNumber }) => typeof blockNumber !== 'number');
		const places = new Map<string, Mined | 'pending'>(await minedPlaces(this.#rpc, held));
		for (const { hash } of pending) places.set(hash, 'pending');
		return places;
	}

	/** `blocks`: heights by hash. Stops at the first block that cannot be traced; the next poll traces the others. */
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
		// A trace is requested by height, and a reorganisation may have put another block there meanwhile.
		return credits !== null && (await blockNow()).hash === hash ? credits : null;
	}

	/** A deposit is there if its address holds all that is on record for it now. A smaller balance proves nothing. */
	async #byBalance(
		doubtful: readonly (readonly [DepositRef, number])[],
		refs: readonly DepositRef[],
	): Promise<(readonly [DepositRef, InternalPlace])[]> {
		if (doubtful.length === 0) return [];
		const { height: head } = await headOf(this.#rpc);
		const addresses = [...new Set(doubtful.map(([{ address }]) => address.toLowerCase()))];
		const balances = await balancesAt(this.#rpc, null, addresses, head);
		const onRecord = (address: string): bigint =>
			refs.reduce((sum, ref) => (ref.address.toLowerCase() === address ? sum + ref.amount : sum), 0n);
		const held = new Map(addresses.map((address, at) => [address, (balances[at] ?? 0n) >= onRecord(address)]));
		return doubtful.map(([ref, height]) => [ref, held.get(ref.address.toLowerCase()) ? height : 'unknown'] as const);
	}
}
