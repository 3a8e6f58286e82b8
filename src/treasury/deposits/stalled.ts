/**
 * A node that has stopped following its network answers every question, and shows no deposit any more. Nothing that it
 * says tells so but that no block comes: that is for the operator to see. Pure.
 */
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';

/** Of the time between two blocks; chance makes one of a proof-of-work chain wait so long once in a hundred years. */
const MAX_BLOCK_TIMES = 20;
/** Quick networks stand still for a moment now and then. */
const LEAST_MILLISECONDS = 300_000;

/** The best block that looks saw, and Unix milliseconds of the first look that saw it. */
export interface Best {
	readonly height: number;
	readonly since: number;
}

/** After a reorganisation the best block may be a lower one; that is news as well. */
export const bestOf = (before: Best | null, height: number, now: number): Best =>
	before?.height === height ? before : { height, since: now };

/** What is to be told to the operator; null while blocks come. */
export function stalledText(network: NetworkName, { height, since }: Best, now: number): string | null {
	const longest = Math.max(LEAST_MILLISECONDS, MAX_BLOCK_TIMES * networkNamed(network).blockSeconds * 1000);
	if (now - since <= longest) return null;
	const minutes = Math.floor((now - since) / 60_000);
	return `no block above ${height} for ${minutes} minutes: the node may have stopped, and what is paid in is not seen`;
}
