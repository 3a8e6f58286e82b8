/** What callers of the two objects behind the pages of orders see. */

/** A stream of one order, as it is asked for. */
export interface StreamRequest {
	readonly orderId: string;
	/** Of the order, as it was read a moment ago. */
	readonly version: string;
	/** The last version that the client was told of or has shown; null where it has none. */
	readonly seen: string | null;
	/** Of the client, by which streams are counted. */
	readonly network: string;
}

/** One object for each order, while somebody watches it. */
export interface OrderStreamRpc extends Rpc.DurableObjectBranded {
	/** Server-sent events; null where the order, or the client's network, has as many streams as it may. */
	open(request: StreamRequest): Promise<ReadableStream<Uint8Array> | null>;
	/** The order has changed. False: nobody watches it here. */
	changed(version: string): Promise<boolean>;
}

/** One object for all orders that are watched. */
export interface OrderWatchRpc extends Rpc.DurableObjectBranded {
	/** Watches an order for a while; to be repeated. False: it watches as many as it can. */
	watch(orderId: string, version: string): Promise<boolean>;
}

/** `OrderStream` repeats `watch` this often. */
export const WATCH_MILLISECONDS = 60_000;
