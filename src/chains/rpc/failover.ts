/**
 * Failover between the nodes of one network. Each query goes to the nodes in order of preference until one answers, so
 * a node that is down costs only a timeout. Before its first query each node is checked: it must be on our chain.
 */
import { ChainUnavailable } from '../errors.ts';
import { RpcError } from './rpc-error.ts';

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
	return async (query) => {
		const reasons: string[] = [];
		let [tooLarge, timedOut] = [false, false];
		let state: RpcError | undefined;
		for (const ready of nodes) {
			try {
				return await query(await ready());
			} catch (error) {
				if (error instanceof RpcError && error.ofNode) state ??= error;
				else if (!(error instanceof ChainUnavailable)) throw error;
				else {
					tooLarge ||= error.tooLarge;
					timedOut ||= error.timedOut;
				}
				reasons.push(error.message);
			}
		}
		// A list that is too large for one node is asked for in parts, whatever the other node's state is.
		if (state && !tooLarge) throw state;
		throw new ChainUnavailable(reasons.join('; ') || 'no node is configured', { tooLarge, timedOut });
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
