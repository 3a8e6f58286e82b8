/** Counts what a transaction of the mempool depends on, with a provider that shows one transaction at a time. */
import type { Pooled } from '../source.ts';

/** Nodes relay chains of at most 25 unconfirmed transactions. */
const MOST = 26;

interface PooledTransaction {
	readonly virtualBytes: number;
	readonly fee: bigint;
	/** The transactions whose outputs it spends. */
	readonly parents: readonly string[];
}

/** `look`: null where the mempool does not hold it. */
export async function withAncestors(
	txId: string,
	look: (txId: string) => Promise<PooledTransaction | null>,
): Promise<Pooled | null> {
	const seen = new Set([txId]);
	let all: Pooled = { ancestors: 0, virtualBytes: 0, fee: 0n };
	// A set that grows while it is read is read to its end.
	for (const next of seen) {
		if (all.ancestors >= MOST) break;
		const found = await look(next);
		if (!found) continue;
		all = {
			ancestors: all.ancestors + 1,
			virtualBytes: all.virtualBytes + found.virtualBytes,
			fee: all.fee + found.fee,
		};
		for (const parent of found.parents) seen.add(parent);
	}
	return all.ancestors === 0 ? null : all;
}
