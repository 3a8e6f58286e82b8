/**
 * Explains native balances that are larger than the record. It halves the range of heights until it finds the blocks
 * that raised a balance, and then reads what in those blocks did so. It searches between the cursor and the head first,
 * then the blocks below the cursor that a reorganisation may have changed, then further back. `remainders.ts` limits
 * what is credited.
 */
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { balancesIfKept } from './balances.ts';
import { creditsOfBlock, directCredits, type Evidence } from './credits.ts';
import { BALANCE } from './depth.ts';
import { ask } from './node.ts';
import { type Explanation, Remainders, type Target } from './remainders.ts';
import { BLOCK, hexOf } from './shapes.ts';
import { tracer } from './trace.ts';

/** Node requests that one range may take; the next scan continues there. */
const MAX_REQUESTS = 150;
/** Requests that reading one block takes at most: block, receipts, two kinds of trace. */
const REQUESTS_PER_BLOCK = 4;
/** Blocks that are read one by one where the node has pruned the balances of that time. */
const MAX_BLOCKS_READ = 100;
/** Full nodes keep the state of 128 blocks. The difference is headroom for blocks that arrive during the scan. */
const KEPT_STATE_BLOCKS = 120;

export interface Search {
	readonly targets: readonly Target[];
	/** Of the targets, in their order, at the head. */
	readonly balances: readonly bigint[];
	readonly head: number;
	/** Heights down to which to search, one after the other; the first is the cursor. */
	readonly floors: readonly number[];
}

/** All targets' balances at one height. */
interface Point {
	readonly height: number;
	readonly balances: readonly bigint[];
}

/** @throws ChainUnavailable */
export async function explain(rpc: JsonRpc, { targets, balances, head, floors }: Search): Promise<Explanation> {
	const remainders = new Remainders(targets);
	const addresses = targets.map(({ address }) => address);
	const known = new Map(targets.map((target) => [target.address, target.known]));
	const knownOf = (address: string): readonly Evidence[] => [
		...(known.get(address) ?? []),
		...remainders.found.filter((each) => each.address === address),
	];
	const trace = tracer(rpc);
	let requests = 0;

	function take(height: number, credits: ReadonlyMap<string, readonly Evidence[]>): void {
		for (const [address, evidences] of credits)
			for (const evidence of evidences) remainders.credit({ ...evidence, address, height });
	}

	async function pointAt(height: number): Promise<Point | null> {
		requests += 1;
		const kept = await balancesIfKept(rpc, addresses, height);
		return kept && { height, balances: kept };
	}

	const isExplained = (low: Point, high: Point): boolean =>
		addresses.every((address, at) => remainders.of(address) === 0n || low.balances[at] === high.balances[at]);

	/** Explains the blocks above `low` up to `high`, the lowest first. Returns the height that it reached. */
	async function walk(low: Point, high: Point): Promise<number> {
		if (isExplained(low, high)) return high.height;
		if (requests >= MAX_REQUESTS) return low.height;
		if (high.height - low.height === 1) {
			requests += REQUESTS_PER_BLOCK;
			const grown = addresses.flatMap((address, at): [string, bigint][] => {
				const growth = (high.balances[at] ?? 0n) - (low.balances[at] ?? 0n);
				return growth > 0n && remainders.of(address) > 0n ? [[address, growth]] : [];
			});
			take(high.height, await creditsOfBlock(rpc, trace, high.height, new Map(grown), knownOf));
			return high.height;
		}
		const middle = await pointAt(Math.floor((low.height + high.height) / 2));
		if (!middle) return low.height;
		const reached = await walk(low, middle);
		return reached < middle.height ? reached : walk(middle, high);
	}

	/**
	 * Reads blocks one by one, from the top down, where balances show nothing. Finds only transactions that pay an
	 * address themselves.
	 */
	async function readBlocks(from: number, floor: number, among: readonly string[]): Promise<void> {
		for (let height = from; height > Math.max(floor, from - MAX_BLOCKS_READ); height -= 1) {
			const open = among.filter((address) => remainders.of(address) > 0n);
			if (open.length === 0) return;
			take(height, await directCredits(rpc, height, new Set(open), knownOf));
		}
	}

	/**
	 * Credits each remainder that the balance at this point covers. It was there at this block at the latest, so the
	 * block is the evidence.
	 */
	async function takeRemainders({ height, balances: held }: Point, among: readonly string[]): Promise<void> {
		const covered = addresses.flatMap((address, at): [string, bigint][] =>
			among.includes(address) && remainders.of(address) > 0n && (held[at] ?? 0n) >= remainders.of(address)
				? [[address, remainders.of(address)]]
				: [],
		);
		if (covered.length === 0) return;
		const { hash } = await ask(rpc, BLOCK, 'eth_getBlockByNumber', hexOf(height), false);
		take(height, new Map(covered.map(([address, amount]) => [address, [{ txId: hash, position: BALANCE, amount }]])));
	}

	const lowest = floors.at(-1) ?? head;
	const swept = targets.filter(({ hasBeenSwept }) => hasBeenSwept).map(({ address }) => address);
	let high: Point = { height: head, balances };
	for (const floor of floors) {
		requests = 0;
		const kept = await pointAt(floor);
		const low = kept ?? (await pointAt(Math.max(floor, Math.min(high.height, head - KEPT_STATE_BLOCKS))));
		const reached = low ? await walk(low, high) : high.height;
		if (reached < high.height) {
			if (high.height === head) return { found: remainders.found, reached, unread: [] };
			break;
		}
		if (high.height === head) {
			// A sweep and a deposit may cancel out in the balance. What halving did not find arrived in these blocks.
			await readBlocks(head, floor, swept);
			await takeRemainders(high, swept);
		}
		high = low ?? high;
		if (kept) continue;
		await readBlocks(high.height, lowest, addresses);
		break;
	}
	await takeRemainders(high, addresses);
	return { found: remainders.found, reached: head, unread: [] };
}
