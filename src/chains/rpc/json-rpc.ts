/**
 * JSON-RPC over HTTP to a network's nodes, shared by the families that speak it. Credentials are part of the URL as the
 * operator wrote it, and are sent as an Authorization header: workerd refuses them inside a URL. Errors name a node by its
 * host alone, because the rest of a URL is often a key.
 *
 * A node may send anything: time, bytes, number of values and length of its messages are all bounded. A node that exceeds a
 * bound counts as one that does not answer.
 */

import { ChainUnavailable } from '../errors.ts';
import { AnswerTooLarge, boundedText } from './bounded-text.ts';
import { failover, type ReadyNode } from './failover.ts';

/** From the request's start to the answer's last byte, milliseconds. */
const TIMEOUT_MILLISECONDS = 10_000;
/** Largest answer that is read, bytes: a full block of a busy EVM network stays well below. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/**
 * Values in an answer: each costs a hundred times its bytes once it is parsed, and more where it has the wrong shape.
 */
const MAX_ANSWER_VALUES = 250_000;
/** Characters of an answer that cannot hold so many values, and need not be counted. */
const MODEST_CHARACTERS = 2 * MAX_ANSWER_VALUES;
/** Of a node's error message, so much is kept, characters. */
const MAX_MESSAGE = 300;
/** Calls in one HTTP request. */
const MAX_BATCH = 50;

export interface Call {
	readonly method: string;
	/** By place, or by name where nodes of one family count them differently. */
	readonly params: readonly unknown[] | Readonly<Record<string, unknown>>;
}

/** The node answered, and its answer is an error. `code` and `message` are the node's. */
export class RpcError extends Error {
	override readonly name = 'RpcError';
	readonly code: number;

	constructor(code: number, message: string) {
		super(message);
		this.code = code;
	}
}

export interface JsonRpc {
	/** @throws RpcError, ChainUnavailable */
	call(method: string, ...params: unknown[]): Promise<unknown>;
	/**
	 * Answers in the order of the calls; an error takes its place in the list instead of being thrown. @throws
	 * ChainUnavailable
	 */
	batch(calls: readonly Call[]): Promise<unknown[]>;
}

/** A node's URL without credentials, and the headers that carry them. */
export interface Endpoint {
	readonly url: string;
	readonly headers: Record<string, string>;
	/** What a person is told of it. */
	readonly host: string;
}

export function endpointOf(text: string): Endpoint {
	const url = new URL(text);
	const headers: Record<string, string> = { 'content-type': 'application/json' };
	if (url.username) {
		headers['authorization'] =
			`Basic ${btoa(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`)}`;
		url.username = '';
		url.password = '';
	}
	return { url: url.href, headers, host: url.host };
}

/**
 * `urls`: one or more node URLs, the preferred first. @throws TypeError on a malformed URL, which is a configuration
 * error.
 */
export const jsonRpc = (urls: readonly string[]): JsonRpc =>
	firstThatAnswers(
		urls.map((url) => {
			const node = nodeAt(endpointOf(url));
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

function nodeAt(endpoint: Endpoint): JsonRpc {
	/** `read` takes from the answer what was asked for. @throws RpcError; ChainUnavailable for every other failure */
	async function post<T>(body: unknown, read: (answer: unknown) => T): Promise<T> {
		try {
			return read(await postTo(endpoint, body));
		} catch (error) {
			if (error instanceof RpcError) throw error;
			const reason = error instanceof Error ? error.message : String(error);
			throw new ChainUnavailable(
				`no node answered: ${endpoint.host}: ${reason.replaceAll(endpoint.url, endpoint.host)}`,
				{
					tooLarge: error instanceof AnswerTooLarge,
					timedOut: error instanceof Error && error.name === 'TimeoutError',
				},
			);
		}
	}

	return {
		call: (method, ...params) => post({ jsonrpc: '2.0', id: 1, method, params }, resultOf),
		async batch(calls) {
			const results: unknown[] = [];
			for (let start = 0; start < calls.length; start += MAX_BATCH) {
				const part = calls.slice(start, start + MAX_BATCH);
				const requests = part.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
				results.push(...(await post(requests, (answer) => resultsOf(answer, part.length))));
			}
			return results;
		},
	};
}

/** One answer of one endpoint, parsed. @throws Error, of whatever kind, where there is none to be had */
export async function postTo(endpoint: Endpoint, body: unknown): Promise<unknown> {
	const response = await fetch(endpoint.url, {
		method: 'POST',
		headers: endpoint.headers,
		body: JSON.stringify(body),
		redirect: 'manual',
		signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
	});
	const text = await boundedText(response, MAX_ANSWER_BYTES);
	requireModest(text);
	// Core answers RPC errors with HTTP 500 and a JSON body, so the body decides before the status does.
	try {
		return JSON.parse(text, exactNumbers);
	} catch {
		throw new Error(`HTTP ${response.status}, and no JSON`);
	}
}

/** Before anything is parsed. Commas and brackets inside of texts are counted too, and rare in what nodes say. */
function requireModest(text: string): void {
	if (text.length <= MODEST_CHARACTERS) return;
	let values = 0;
	for (let at = 0; at < text.length; at++) {
		const character = text[at];
		if (character === ',' || character === '[' || character === '{') values += 1;
	}
	if (values > MAX_ANSWER_VALUES) throw new AnswerTooLarge(`the answer has more than ${MAX_ANSWER_VALUES} values`);
}

/** Numbers that a double could not hold exactly, and all fractions, arrive as the text that the node wrote. */
export function exactNumbers(_key: string, value: unknown, context?: { source?: string }): unknown {
	return typeof value === 'number' && !Number.isSafeInteger(value) ? context?.source : value;
}

function resultOf(answer: unknown): unknown {
	if (typeof answer !== 'object' || answer === null) throw new ChainUnavailable('the answer is no JSON-RPC');
	const { result, error } = answer as { result?: unknown; error?: { code?: unknown; message?: unknown } | null };
	if (error) throw rpcError(error.code, error.message);
	if (result === undefined) throw new ChainUnavailable('the answer is no JSON-RPC');
	return result;
}

/** One for each of `count` calls, by id; a call that is not answered is an error in its place. */
function resultsOf(answers: unknown, count: number): unknown[] {
	if (!Array.isArray(answers)) {
		const refusal = settled(() => resultOf(answers));
		const why = refusal instanceof RpcError ? refusal.message : 'it answers something else';
		throw new ChainUnavailable(`the node takes no batch: ${why}`);
	}
	if (answers.length > count) throw new ChainUnavailable(`${count} calls got ${answers.length} answers`);
	const byId = new Map(answers.map((answer: { id?: unknown } | null) => [answer?.id, answer]));
	return Array.from({ length: count }, (_, id) => settled(() => resultOf(byId.get(id))));
}

/** Its words are the node's: they may be of any type and length. */
function rpcError(code: unknown, message: unknown): RpcError {
	const words = typeof message === 'string' ? message.slice(0, MAX_MESSAGE) : 'no message';
	return new RpcError(typeof code === 'number' ? code : 0, words);
}

function settled(run: () => unknown): unknown {
	try {
		return run();
	} catch (error) {
		return error;
	}
}
