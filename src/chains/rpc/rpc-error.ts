/** The error with which a JSON-RPC node answers, and that of a node which does not answer. Pure. */
import { ChainUnavailable } from '../errors.ts';
import { AnswerTooLarge } from './bounded-text.ts';

/** The node answered, and its answer is an error. `code` and `message` are the node's. */
export class RpcError extends Error {
	override readonly name = 'RpcError';
	readonly code: number;
	/** It is about the node's state, not about the request: it warms up, or we are over its limit. Another may answer. */
	readonly ofNode: boolean;

	constructor(code: number, message: string, { ofNode = false } = {}) {
		super(message);
		this.code = code;
		this.ofNode = ofNode;
	}
}

/** A request that failed for any reason. Of the URL only the host is shown, because the rest is often a key. */
export function notAnswered(
	what: string,
	error: unknown,
	{ url, host }: { readonly url: string; readonly host: string },
): ChainUnavailable {
	const reason = error instanceof Error ? error.message : String(error);
	return new ChainUnavailable(`${what}: ${reason.replaceAll(url, host)}`, {
		tooLarge: error instanceof AnswerTooLarge,
	});
}
