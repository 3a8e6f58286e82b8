/**
 * Failover between the nodes of one network. Each query goes to the nodes in order of preference until one answers. A
 * node that has just failed to answer is asked last for a minute, so a node that hangs costs a timeout a minute and not
 * one a query. Before its first query each node is checked: it must be on our chain.
 */
import { ChainUnavailable } from '../errors.ts';
import { RpcError } from './rpc-error.ts';

/** So long a node that failed to answer is asked after the others. */
const LAST_MILLISECONDS = 60_000;

/** Returns a node that has passed its check. @throws ChainUnavailable where it fails */
export type ReadyNode<N> = () => Promise<N>;

/**
 * Runs a query on the first node that answers all of it. @throws ChainUnavailable with each node's reason, or the first
 * node's `RpcError` about its own state, by which a caller may know what that node lacks
 */
export type UseNode<N> = <T>(query: (node: N) => Promise<T>) => Promise<T>;

/**
 * `nodes`: the preferred first. The next is asked after `ChainUnavailable` and after an error about the node's own
 * state. Any other error is thrown at once: it is an answer to the request, and no other node is asked.
 */
export function failover<N>(nodes: readonly ReadyNode<N>[]): UseNode<N> {
	/** Unix milliseconds, of each node: until then it is asked last. */
	const lastUntil = nodes.map(() => 0);

	/** Also among those that are asked last, the preferred is asked first. */
	function inOrder(): [number, ReadyNode<N>][] {
		const now = Date.now();
		const isLast = (at: number) => Number((lastUntil[at] ?? 0) > now);
		return [...nodes.entries()].toSorted(([one], [other]) => isLast(one) - isLast(other));
	}

	return async (query) => {
		const reasons: string[] = [];
		let tooLarge = false;
		let state: RpcError | undefined;
		for (const [at, ready] of inOrder()) {
			try {
				const answer = await query(await ready());
				lastUntil[at] = 0;
				return answer;
			} catch (error) {
				if (error instanceof RpcError && error.ofNode) state ??= error;
				else if (!(error instanceof ChainUnavailable)) throw error;
				else {
					tooLarge ||= error.tooLarge;
					// An answer that is too large is an answer, and so is an error: neither takes a timeout.
					if (!error.tooLarge) lastUntil[at] = Date.now() + LAST_MILLISECONDS;
				}
				reasons.push(error.message);
			}
		}
		// A list that is too large for one node is asked for in parts, whatever the other node's state is.
		if (state && !tooLarge) throw state;
		throw new ChainUnavailable(reasons.join('; ') || 'no node is configured', { tooLarge });
	};
}

/** `requireRight` throws for a wrong node. It runs before each query until it has succeeded once. */
export function checkedNode<N>(node: N, requireRight: (node: N) => Promise<void>): ReadyNode<N> {
	let isRight = false;
	return async () => {
		if (!isRight) await requireRight(node);
		isRight = true;
		return node;
	};
}
