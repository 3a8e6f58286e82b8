/** The client: one method for each endpoint of the partner API, and `waitFor`. */
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import { type Budget, type Connection, type CreateOptions, send } from './connection.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { provenCalls } from './proven-calls.ts';
import { type WaitOptions, waitFor } from './wait-for.ts';
import type { Calls, Order, RotatedSecrets } from './wire.js';

export interface ClientOptions {
	/** Where the service answers, for example `https://api.example.com`. Plain `http:` is for this machine alone. */
	readonly url: string;
	/** Without apiKey and apiSecret only the calls that work unsigned can be made. */
	readonly apiKey?: string | undefined;
	readonly apiSecret?: string | undefined;
	/** A reference code of yours: every call is made under it. */
	readonly code?: string | undefined;
	/**
	 * The service's public keys of promises that you trust, base64. With them `create` asks for the signed promise and returns
	 * only an order that it proves: name assets by their exact ids. A later promise is checked where `order` asks for one.
	 */
	readonly promiseKeys?: string | readonly string[] | undefined;
	/** For one attempt, the whole answer included; 30 without it. */
	readonly timeoutSeconds?: number | undefined;
	/** Attempts after the first; 3 without it, 0 for none. */
	readonly retries?: number | undefined;
	/** Instead of the global one: a proxy's, or a service binding's. */
	readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
	/** Instead of the system's: for tests. */
	readonly clock?: Clock | undefined;
}

/** Names an order: what `create` returned. */
export interface OrderHandle {
	readonly id: string;
	/** Null where the answer that had it was lost: such an order cannot be read. */
	readonly token: string | null;
}

export interface Client extends Calls {
	/** Reads the order again and again until it has come so far. Transient failures are waited out. */
	waitFor(order: OrderHandle, options?: WaitOptions): Promise<Order>;
	/** Your weight budget as the service stated it last; null where it has not said. */
	budget(): Budget | null;
}

const TIMEOUT_SECONDS = 30;
const RETRIES = 3;

/** A client holds no connection and needs no closing. It is for servers: an apiSecret has no place in a browser. */
export function createClient(options: ClientOptions): Client {
	const connection = connectionOf(options);
	const methods = OPERATIONS.map((operation) => [operation.name, methodOf(connection, operation)] as const);
	const calls = Object.fromEntries(methods) as unknown as Calls;
	const proven = options.promiseKeys === undefined ? calls : provenCalls(connection, calls, options.promiseKeys);
	return {
		...proven,
		async rotateKeys(body, more) {
			const rotated: RotatedSecrets = await calls.rotateKeys(body, more);
			// The old value is dead: whatever follows is signed with the new one.
			connection.apiSecret = rotated.apiSecret ?? connection.apiSecret;
			return rotated;
		},
		async waitFor({ id, token }, waiting = {}) {
			if (token === null) throw new TypeError('an order without its token cannot be read');
			const { signal } = waiting;
			return waitFor(() => calls.order({ id, token }, { ...(signal && { signal }) }), connection.clock, waiting);
		},
		budget: () => connection.budget,
	};
}

function connectionOf(options: ClientOptions): Connection {
	const { url, apiKey, apiSecret, code, timeoutSeconds = TIMEOUT_SECONDS, retries = RETRIES } = options;
	if ((apiKey === undefined) !== (apiSecret === undefined)) throw new TypeError('apiKey and apiSecret belong together');
	if (code !== undefined && apiKey === undefined) throw new TypeError('a reference code needs an apiKey');
	return {
		url: addressOf(url),
		apiKey: apiKey === undefined ? null : [apiKey, ...(code === undefined ? [] : [code])].join('.'),
		apiSecret: apiSecret ?? null,
		timeoutMilliseconds: timeoutSeconds * 1000,
		retries,
		// Called through an arrow: some runtimes want the global as `this`.
		fetch: options.fetch ?? ((address, init) => fetch(address, init)),
		clock: options.clock ?? SYSTEM_CLOCK,
		aheadMilliseconds: 0,
		budget: null,
	};
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** @throws TypeError where tokens of orders and new secrets would travel in clear */
function addressOf(text: string): string {
	const { protocol, hostname, href } = new URL(text);
	const isKept = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
	if (!isKept) throw new TypeError(`${text} is no https: address; http: is for this machine alone`);
	return href.replace(/\/+$/, '');
}

/** A call without a body takes only options. */
const methodOf = (connection: Connection, operation: Operation) =>
	operation.hasBody
		? (body?: unknown, options: CreateOptions = {}) => send(connection, operation, body, options)
		: (options: CreateOptions = {}) => send(connection, operation, undefined, options);
