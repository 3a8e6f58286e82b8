/** The error with which a JSON-RPC node answers. Pure. */

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
