/**
 * The blocks that hold transactions of an account, by its nonce: it grows only in these. All ranges are halved together,
 * so a search takes as many rounds as the range has binary digits. Where the node has pruned the states of that time,
 * each block is a candidate, and only a short range can be searched.
 */
import { ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { askIfKept } from './node.ts';
import { HEIGHT, hexOf } from './shapes.ts';

/** Nonces that one search asks for: some hundred transactions in a range of a million blocks. */
const MAX_COUNTS = 6_000;
/** Blocks that the caller can be expected to read one by one. */
const MAX_BLOCKS = 400;

/** Heights, both inclusive. */
export interface Range {
	/** Lower case. */
	readonly account: string;
	readonly from: number;
	readonly to: number;
}

interface Point {
	readonly height: number;
	readonly count: number;
}

/** Ascending. @throws ChainUnavailable, also where there is too much to search */
export async function blocksThatSent(rpc: JsonRpc, { account, from, to }: Range): Promise<number[]> {
	let counts = 0;
	const countsAt = async (heights: readonly number[]): Promise<Point[] | null> => {
		counts += heights.length;
		if (counts > MAX_COUNTS) throw new ChainUnavailable(tooMuch('the hot wallet has sent too many transactions'));
		const calls = heights.map((height) => ({ method: 'eth_getTransactionCount', params: [account, hexOf(height)] }));
		const found = await askIfKept(rpc, HEIGHT, calls);
		return found && heights.map((height, at) => ({ height, count: found[at] ?? 0 }));
	};

	const ends = await countsAt([Math.max(0, from - 1), to]);
	if (ends === null) return everyBlock(from, to);
	const grown: number[] = [];
	let open = [ends].filter(isGrown);
	while (open.length > 0) {
		const middles = await countsAt(
			open.map(([low, high]) => Math.floor(((low?.height ?? 0) + (high?.height ?? 0)) / 2)),
		);
		if (middles === null) return everyBlock(from, to);
		const halves = open.flatMap(([low, high], at) => [
			[low, middles[at]],
			[middles[at], high],
		]) as Point[][];
		const left = halves.filter(isGrown);
		for (const [low, high] of left) if (low && high && high.height - low.height === 1) grown.push(high.height);
		open = left.filter(([low, high]) => low && high && high.height - low.height > 1);
	}
	return grown.toSorted((a, b) => a - b);
}

const isGrown = ([low, high]: readonly Point[]): boolean => (high?.count ?? 0) > (low?.count ?? 0);

function everyBlock(from: number, to: number): number[] {
	if (to - from >= MAX_BLOCKS) throw new ChainUnavailable(tooMuch('the node has pruned the states of that time'));
	return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

const tooMuch = (why: string): string => `what the hot wallet has sent cannot be searched: ${why}`;
