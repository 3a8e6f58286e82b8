/**
 * JSON-RPC over HTTP, for the families whose nodes speak it. The operator writes credentials into the URL. We send them
 * as an Authorization header, because workerd refuses them inside a URL. Errors name a node only by its host, because
 * the rest of a URL often contains a key.
 *
 * A node may send anything, so time, bytes and number of values are bounded, and its messages are cut. A node that
 * exceeds a bound counts as unavailable.
 */
import { ChainUnavailable } from '../errors.ts';
import { headersFor, type NodeHeaders } from '../node-urls.ts';
import { AnswerTooLarge, boundedText } from './bounded-text.ts';
import { eachOf, inParts } from './each-of.ts';
import { failover, type ReadyNode } from './failover.ts';
import { notAnswered, RpcError } from './rpc-error.ts';

/** From the request's start to the answer's last byte, milliseconds. */
export const TIMEOUT_MILLISECONDS = 10_000;
/** Largest answer that is read, bytes: a full block of a busy EVM network stays well below. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/**
 * Largest number of values in an answer. A parsed value takes a hundred times its bytes, and more where it has the
 * wrong shape.
 */
const MAX_ANSWER_VALUES = 250_000;
/** An answer with at most this many characters cannot exceed that number, so its values are not counted. */
const MODEST_CHARACTERS = 2 * MAX_ANSWER_VALUES;
/** Characters of a node's error message that are kept. */
const MAX_MESSAGE = 300;
/** Calls in one HTTP request. */
const MAX_BATCH = 50;
/** JSON-RPC's "invalid request": the answer of a host that takes no batch. */
const INVALID_REQUEST = -32600;
/** With these an error is about the node or our account there: credentials, limits, a gateway without its node. */
const NODE_STATUSES: ReadonlySet<number> = new Set([401, 403, 429, 502, 503, 504]);

export interface Call {
	readonly method: string;
	/** By position; or by name, where nodes of one family order them differently. */
	readonly params: readonly unknown[] | Readonly<Record<string, unknown>>;
}

export interface JsonRpc {
	/** @throws RpcError, ChainUnavailable */
	call(method: string, ...params: unknown[]): Promise<unknown>;
	/**
	 * Answers in the order of the calls. A call that fails has its error in the list; it is not thrown. @throws
	 * ChainUnavailable
	 */
	batch(calls: readonly Call[]): Promise<unknown[]>;
}

/** A node's URL without credentials, and the headers that carry them. */
export interface Endpoint {
	readonly url: string;
	readonly headers: Record<string, string>;
	/** The only part that messages show. */
	readonly host: string;
}

/** `more`: headers of the operator's own, before those of the protocol and of the URL's credentials. */
export function endpointOf(text: string, more?: NodeHeaders): Endpoint {
	const url = new URL(text);
	const headers: Record<string, string> = { ...headersFor(more, url.host), 'content-type': 'application/json' };
	if (url.username) {
		headers['authorization'] =
			`Basic ${btoa(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`)}`;
		url.username = '';
		url.password = '';
	}
	return { url: url.href, headers, host: url.host };
}

/**
 * `urls`: one or more node URLs, the preferred first. `stateCodes`: the family's error codes that are about the node's
 * state. @throws TypeError on a malformed URL, which is a configuration error.
 */
export const jsonRpc = (
	urls: readonly string[],
	headers?: NodeHeaders,
	stateCodes: ReadonlySet<number> = new Set(),
): JsonRpc =>
	firstThatAnswers(
		urls.map((url) => {
			const node = nodeAt(endpointOf(url, headers), stateCodes);
			return async () => node;
		}),
	);

/** Each call and each batch goes to the first of `nodes` that answers it. */
export function firstThatAnswers(nodes: readonly ReadyNode<JsonRpc>[]): JsonRpc {
	const use = failover(nodes);
	return {
		call: (method, ...args) => use((node) => node.call(method, ...args)),
		batch: (calls) => use((node) => node.batch(calls)),
	};
}

/** Is an error with this code about the node's state? */
type IsOfNode = (code: number) => boolean;

function nodeAt(endpoint: Endpoint, stateCodes: ReadonlySet<number>): JsonRpc {
	/** `read` extracts the results from the answer. @throws RpcError; ChainUnavailable for every other failure */
	async function post<T>(body: unknown, read: (answer: unknown, isOfNode: IsOfNode) => T): Promise<T> {
		try {
			const { status, answer } = await exchange(endpoint, body);
			return read(answer, (code) => NODE_STATUSES.has(status) || stateCodes.has(code));
		} catch (error) {
			if (error instanceof RpcError) throw error;
			throw notAnswered(`no node answered: ${endpoint.host}`, error, endpoint);
		}
	}

	let takesBatches = true;

	/** Null where the host takes no batch. */
	const together = (requests: readonly unknown[]) =>
		post(requests, (answer, isOfNode) => (takesNoBatch(answer) ? null : resultsOf(answer, isOfNode, requests.length)));

	/** The answers as those of one batch. */
	const alone = async (requests: readonly unknown[]): Promise<unknown[]> => {
		const ask = (request: unknown) =>
			post(request, (answer, isOfNode) => resultsOf([{ ...(answer as object), id: 0 }], isOfNode, 1));
		return (await eachOf(requests, ask)).flat();
	};

	return {
		call: (method, ...params) => post({ jsonrpc: '2.0', id: 1, method, params }, resultOf),
		async batch(calls) {
			const results: unknown[] = [];
			for (const part of inParts(calls, MAX_BATCH)) {
				const requests = part.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
				const answers = takesBatches ? await together(requests) : null;
				takesBatches = answers !== null;
				results.push(...(answers ?? (await alone(requests))));
			}
			return results;
		},
	};
}

/** One request to one endpoint; returns the parsed answer. @throws Error of any kind where there is none */
export const postTo = async (
	endpoint: Endpoint,
	body: unknown,
	milliseconds = TIMEOUT_MILLISECONDS,
): Promise<unknown> => (await exchange(endpoint, body, milliseconds)).answer;

async function exchange(
	endpoint: Endpoint,
	body: unknown,
	milliseconds = TIMEOUT_MILLISECONDS,
): Promise<{ status: number; answer: unknown }> {
	const response = await fetch(endpoint.url, {
		method: 'POST',
		headers: endpoint.headers,
		body: JSON.stringify(body),
		redirect: 'manual',
		signal: AbortSignal.timeout(milliseconds),
	});
	const text = await boundedText(response, MAX_ANSWER_BYTES);
	// Bitcoin Core answers RPC errors with HTTP 500 and a JSON body, so the body is parsed whatever the status.
	return { status: response.status, answer: parsedAnswer(text, response.status) };
}

/** @throws Error where the text is no JSON, or has too many values */
export function parsedAnswer(text: string, status: number): unknown {
	requireModest(text);
	try {
		return JSON.parse(text, exactNumbers);
	} catch {
		throw new Error(`HTTP ${status}, and no JSON`);
	}
}

/** Runs before parsing. It also counts commas and brackets inside strings, which are rare in nodes' answers. */
function requireModest(text: string): void {
	if (text.length <= MODEST_CHARACTERS) return;
	let values = 0;
	for (let at = 0; at < text.length; at++) {
		const character = text[at];
		if (character === ',' || character === '[' || character === '{') values += 1;
	}
	if (values > MAX_ANSWER_VALUES) throw new AnswerTooLarge(`the answer has more than ${MAX_ANSWER_VALUES} values`);
}

/**
 * Reviver for `JSON.parse`: fractions, and numbers that a double cannot hold exactly, stay the text that the node
 * wrote.
 */
export function exactNumbers(_key: string, value: unknown, context?: { source?: string }): unknown {
	return typeof value === 'number' && !Number.isSafeInteger(value) ? context?.source : value;
}

function resultOf(answer: unknown, isOfNode: IsOfNode): unknown {
	if (typeof answer !== 'object' || answer === null) throw new ChainUnavailable('the answer is not JSON-RPC');
	const { result, error } = answer as { result?: unknown; error?: { code?: unknown; message?: unknown } | null };
	if (error) throw rpcError(error.code, error.message, isOfNode);
	if (result === undefined) throw new ChainUnavailable('the answer is not JSON-RPC');
	return result;
}

/**
 * One result for each of `count` calls, matched by id. A call without an answer has an error in its place.
 * @throws ChainUnavailable where one error is about the node: the next node may answer all
 */
function resultsOf(answers: unknown, isOfNode: IsOfNode, count: number): unknown[] {
	if (!Array.isArray(answers)) {
		const refusal = settled(() => resultOf(answers, isOfNode));
		const why = refusal instanceof RpcError ? refusal.message : 'its answer is not a list';
		throw new ChainUnavailable(`the node refuses the batch: ${why}`);
	}
	if (answers.length > count) throw new ChainUnavailable(`${count} calls got ${answers.length} answers`);
	const byId = new Map(answers.map((answer: { id?: unknown } | null) => [answer?.id, answer]));
	const results = Array.from({ length: count }, (_, id) => settled(() => resultOf(byId.get(id), isOfNode)));
	const state = results.find((result) => result instanceof RpcError && result.ofNode);
	if (state instanceof RpcError)
		throw new ChainUnavailable(`the node refuses the batch: ${state.code} ${state.message}`);
	return results;
}

function takesNoBatch(answer: unknown): boolean {
	const error = (answer as { readonly error?: { readonly code?: unknown } } | null)?.error;
	return !Array.isArray(answer) && error?.code === INVALID_REQUEST;
}

/** The node's code and message may be of any type and length. */
function rpcError(code: unknown, message: unknown, isOfNode: IsOfNode): RpcError {
	const text = typeof message === 'string' ? message.slice(0, MAX_MESSAGE) : 'no message';
	const known = typeof code === 'number' ? code : 0;
	return new RpcError(known, text, { ofNode: isOfNode(known) });
}

function settled(run: () => unknown): unknown {
	try {
		return run();
	} catch (error) {
		return error;
	}
}

export { RpcError };
