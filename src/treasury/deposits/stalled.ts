/**
 * A node that has stopped following its network still answers every request, but shows no new deposit. The only sign is
 * that there is no new block. Then the operator must look. Pure.
 */
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';

/**
 * Average block times without a block. On a proof-of-work chain chance alone causes that about once in a hundred years.
 */
const MAX_BLOCK_TIMES = 20;
/** At least this long, because fast networks pause now and then. */
const LEAST_MILLISECONDS = 300_000;

/** The best block, and Unix milliseconds of the first poll that saw it. */
export interface Best {
	readonly height: number;
	readonly since: number;
}

/** A lower height, after a reorganisation, counts as a new block too. */
export const bestOf = (before: Best | null, height: number, now: number): Best =>
	before?.height === height ? before : { height, since: now };

/** One line for the operator; null while blocks come. */
export function stalledText(network: NetworkName, { height, since }: Best, now: number): string | null {
	const longest = Math.max(LEAST_MILLISECONDS, MAX_BLOCK_TIMES * networkNamed(network).blockSeconds * 1000);
	if (now - since <= longest) return null;
	const minutes = Math.floor((now - since) / 60_000);
	return `no block above ${height} for ${minutes} minutes: the node may have stopped, and what is paid in is not seen`;
}
