/**
 * Explains native balances that are larger than the record. It halves the range of heights until it finds the blocks
 * that raised a balance, and then reads what in those blocks did so. It searches between the cursor and the head first,
 * then the blocks below the cursor that a reorganisation may have changed, then further back. `remainders.ts` limits
 * what is credited.
 */
import type { Grown } from '../by-balance.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { balancesIfKept } from './balances.ts';
import { creditsOfBlock, directCredits, type Evidence } from './credits.ts';
import { BALANCE } from './depth.ts';
import { ask } from './node.ts';
import { type Explanation, type Heights, Remainders } from './remainders.ts';
import { BLOCK, hexOf } from './shapes.ts';
import { type Tracer, tracer } from './trace.ts';

/** Node requests that one range may take; the next scan continues there. */
const MAX_REQUESTS = 150;
/** Requests that reading one block takes at most: block, receipts, two kinds of trace. */
const REQUESTS_PER_BLOCK = 4;
/** Blocks that are read one by one where the node has pruned the balances of that time. */
const MAX_BLOCKS_READ = 100;
/** Full nodes keep the state of 128 blocks. The difference is headroom for blocks that arrive during the scan. */
const KEPT_STATE_BLOCKS = 120;

/** All targets' balances at one height. */
interface Point {
	readonly height: number;
	readonly balances: readonly bigint[];
}

/** One scan's search for what raised the balances of `targets`. */
export class BalanceSearch {
	readonly #rpc: JsonRpc;
	readonly #trace: Tracer;
	readonly #remainders: Remainders;
	readonly #balances: readonly bigint[];
	readonly #addresses: readonly string[];
	readonly #swept: readonly string[];
	readonly #known: ReadonlyMap<string, readonly Evidence[]>;
	/** Node requests that the range took so far. */
	#requests = 0;

	constructor(rpc: JsonRpc, targets: readonly Grown[]) {
		this.#rpc = rpc;
		this.#trace = tracer(rpc);
		this.#remainders = new Remainders(targets);
		this.#balances = targets.map(({ balance }) => balance);
		this.#addresses = targets.map(({ place }) => place);
		this.#swept = targets.filter(({ swept }) => swept > 0n).map(({ place }) => place);
		this.#known = new Map(targets.map(({ place, known }) => [place, known]));
	}

	/** @throws ChainUnavailable */
	async explain({ head, floors }: Heights): Promise<Explanation> {
		const { found } = this.#remainders;
		const lowest = floors.at(-1) ?? head;
		let high: Point = { height: head, balances: this.#balances };
		for (const floor of floors) {
			this.#requests = 0;
			const kept = await this.#pointAt(floor);
			const low = kept ?? (await this.#pointAt(Math.max(floor, Math.min(high.height, head - KEPT_STATE_BLOCKS))));
			const reached = low ? await this.#walk(low, high) : high.height;
			if (reached < high.height) {
				if (high.height === head) return { found, reached, unread: [] };
				break;
			}
			if (high.height === head) {
				// A sweep and a deposit may cancel out in the balance. What halving did not find arrived in these blocks.
				await this.#readBlocks(head, floor, this.#swept);
				await this.#takeRemainders(high, this.#swept);
			}
			high = low ?? high;
			if (kept) continue;
			await this.#readBlocks(high.height, lowest, this.#addresses);
			break;
		}
		await this.#takeRemainders(high, this.#addresses);
		return { found, reached: head, unread: [] };
	}

	readonly #knownOf = (address: string): readonly Evidence[] => [
		...(this.#known.get(address) ?? []),
		...this.#remainders.found.filter((each) => each.address === address),
	];

	#hasRemainder(address: string): boolean {
		return this.#remainders.of(address) > 0n;
	}

	#take(height: number, credits: ReadonlyMap<string, readonly Evidence[]>): void {
		for (const [address, evidences] of credits)
			for (const evidence of evidences) this.#remainders.credit({ ...evidence, address, height });
	}

	async #pointAt(height: number): Promise<Point | null> {
		this.#requests += 1;
		const kept = await balancesIfKept(this.#rpc, this.#addresses, height);
		return kept && { height, balances: kept };
	}

	#isExplained(low: Point, high: Point): boolean {
		return this.#addresses.every(
			(address, at) => !this.#hasRemainder(address) || low.balances[at] === high.balances[at],
		);
	}

	/** Explains the blocks above `low` up to `high`, the lowest first. Returns the height that it reached. */
	async #walk(low: Point, high: Point): Promise<number> {
		if (this.#isExplained(low, high)) return high.height;
		if (this.#requests >= MAX_REQUESTS) return low.height;
		if (high.height - low.height === 1) {
			this.#requests += REQUESTS_PER_BLOCK;
			const growth = new Map(
				this.#addresses.flatMap((address, at): [string, bigint][] => {
					const grown = (high.balances[at] ?? 0n) - (low.balances[at] ?? 0n);
					return grown > 0n && this.#hasRemainder(address) ? [[address, grown]] : [];
				}),
			);
			const block = { height: high.height, growth, knownOf: this.#knownOf };
			this.#take(high.height, await creditsOfBlock(this.#rpc, this.#trace, block));
			return high.height;
		}
		const middle = await this.#pointAt(Math.floor((low.height + high.height) / 2));
		if (!middle) return low.height;
		const reached = await this.#walk(low, middle);
		return reached < middle.height ? reached : this.#walk(middle, high);
	}

	/**
	 * Reads blocks one by one, from the top down, where balances show nothing. Finds only transactions that pay an
	 * address themselves.
	 */
	async #readBlocks(from: number, floor: number, among: readonly string[]): Promise<void> {
		for (let height = from; height > Math.max(floor, from - MAX_BLOCKS_READ); height -= 1) {
			const open = among.filter((address) => this.#hasRemainder(address));
			if (open.length === 0) return;
			this.#take(height, await directCredits(this.#rpc, height, new Set(open), this.#knownOf));
		}
	}

	/**
	 * Credits each remainder that the balance at this point covers. It was there at this block at the latest, so the
	 * block is the evidence.
	 */
	async #takeRemainders({ height, balances }: Point, among: readonly string[]): Promise<void> {
		const covered = this.#addresses.flatMap((address, at): [string, bigint][] => {
			const remainder = this.#remainders.of(address);
			return among.includes(address) && remainder > 0n && (balances[at] ?? 0n) >= remainder
				? [[address, remainder]]
				: [];
		});
		if (covered.length === 0) return;
		const { hash } = await ask(this.#rpc, BLOCK, 'eth_getBlockByNumber', hexOf(height), false);
		this.#take(
			height,
			new Map(covered.map(([address, amount]) => [address, [{ txId: hash, position: BALANCE, amount }]])),
		);
	}
}
