/**
 * A node that has stopped following its network still answers every question, but shows no new deposit. The only sign is
 * that no block comes, which the operator must see. Pure.
 */
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';

/** Of the time between two blocks. On a proof-of-work chain chance alone takes so long once in a hundred years. */
const MAX_BLOCK_TIMES = 20;
/** Fast networks stop for a moment now and then. */
const LEAST_MILLISECONDS = 300_000;

/** The best block, and Unix milliseconds of the first poll that saw it. */
export interface Best {
	readonly height: number;
	readonly since: number;
}

/** After a reorganisation the best block may be a lower one; that is news as well. */
export const bestOf = (before: Best | null, height: number, now: number): Best =>
	before?.height === height ? before : { height, since: now };

/** One line for the operator; null while blocks come. */
export function stalledText(network: NetworkName, { height, since }: Best, now: number): string | null {
	const longest = Math.max(LEAST_MILLISECONDS, MAX_BLOCK_TIMES * networkNamed(network).blockSeconds * 1000);
	if (now - since <= longest) return null;
	const minutes = Math.floor((now - since) / 60_000);
	return `no block above ${height} for ${minutes} minutes: the node may have stopped, and what is paid in is not seen`;
}
