/** First signs of payments: which addresses a poll asks a provider about, what is new, and what can be read. */
import { ChainUnavailable } from '../../errors.ts';
import type { Pooled, PoolTransaction } from '../source.ts';
import { type Form, readTransaction } from '../transaction-bytes.ts';

/** Addresses that one poll asks about, one request each: each has its turn. */
const PER_POLL = 20;
/** Transactions that are remembered. Beyond them one may be told of twice. */
const MOST_REMEMBERED = 10_000;

/** `ask`: the transactions of the mempool that touch this address. */
export function poolHints(
	ask: (addresses: readonly string[]) => Promise<PoolTransaction[]>,
): (addresses: readonly string[]) => Promise<PoolTransaction[]> {
	let next = 0;
	const told = new Set<string>();
	return async (addresses) => {
		const from = addresses.length === 0 ? 0 : next % addresses.length;
		next = from + PER_POLL;
		const inTurn = [...addresses, ...addresses].slice(from, from + Math.min(PER_POLL, addresses.length));
		const found = new Map((await ask(inTurn)).map((each) => [each.id, each]));
		const fresh = [...found.values()].filter(({ id }) => !told.has(id));
		if (told.size > MOST_REMEMBERED) told.clear();
		for (const { id } of fresh) told.add(id);
		return fresh;
	};
}

/** A transaction that cannot be read is no sign of a payment; nor is one inside MWEB alone, whose id is not its bytes'. */
export function readable(bytes: Uint8Array | undefined, txId: string | undefined, form: Form): PoolTransaction[] {
	try {
		return bytes ? [readTransaction(bytes, form)].filter(({ id }) => id === txId) : [];
	} catch (error) {
		if (error instanceof ChainUnavailable) return [];
		throw error;
	}
}

/** Nodes relay chains of at most 25 unconfirmed transactions. */
const MOST_ANCESTORS = 26;

interface PooledTransaction {
	readonly virtualBytes: number;
	readonly fee: bigint;
	/** The transactions whose outputs it spends. */
	readonly parents: readonly string[];
}

/** With its ancestors, by a provider that shows one at a time. `look`: null where the mempool does not hold it. */
export async function withAncestors(
	txId: string,
	look: (txId: string) => Promise<PooledTransaction | null>,
): Promise<Pooled | null> {
	const seen = new Set([txId]);
	let all: Pooled = { ancestors: 0, virtualBytes: 0, fee: 0n };
	// A set that grows while it is read is read to its end.
	for (const next of seen) {
		if (all.ancestors >= MOST_ANCESTORS) break;
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
