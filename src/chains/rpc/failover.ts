/**
 * Several nodes of one network, the preferred first: each question goes to the first that answers it, so a node that is
 * down costs a timeout and no more. And the check that each must pass before its first question: it is on our chain.
 */
import { ChainUnavailable } from '../errors.ts';

/** A node that is ready to be asked. @throws ChainUnavailable where it is not the right one */
export type ReadyNode<N> = () => Promise<N>;

/** Runs a question on the first node that answers all of it. @throws ChainUnavailable with each node's reason */
export type UseNode<N> = <T>(question: (node: N) => Promise<T>) => Promise<T>;

/** `nodes`: the preferred first. An error other than `ChainUnavailable` is the answer: no other node is asked. */
export function failover<N>(nodes: readonly ReadyNode<N>[]): UseNode<N> {
	return async (question) => {
		const reasons: string[] = [];
		let [tooLarge, timedOut] = [false, false];
		for (const ready of nodes) {
			try {
				return await question(await ready());
			} catch (error) {
				if (!(error instanceof ChainUnavailable)) throw error;
				tooLarge ||= error.tooLarge;
				timedOut ||= error.timedOut;
				reasons.push(error.message);
			}
		}
		throw new ChainUnavailable(reasons.join('; ') || 'no node is configured', { tooLarge, timedOut });
	};
}

/** `requireRight` throws for a wrong node. It runs before the first question and again after each failure. */
export function checkedNode<N>(node: N, requireRight: (node: N) => Promise<void>): ReadyNode<N> {
	let isRight = false;
	return async () => {
		if (!isRight) await requireRight(node);
		isRight = true;
		return node;
	};
}
