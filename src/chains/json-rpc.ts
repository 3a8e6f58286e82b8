/**
 * JSON-RPC over HTTP to a network's nodes, shared by the families that speak it. Tries the node's URLs in order,
 * so that one that is down costs a timeout and no more. Credentials ride in the URL as the operator wrote them and
 * leave as an Authorization header: workerd refuses them inside a URL.
 */
import { ChainUnavailable } from './port.ts';

/** Longest wait for one answer, milliseconds. */
const TIMEOUT_MILLISECONDS = 10_000;
/** Largest answer that is read, bytes: a full block of a busy EVM network stays well below. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Calls in one HTTP request. */
const MAX_BATCH = 50;

export interface Call {
	readonly method: string;
	readonly params: readonly unknown[];
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
	/** Answers in the order of the calls; an error takes its place in the list instead of being thrown. @throws ChainUnavailable */
	batch(calls: readonly Call[]): Promise<unknown[]>;
}

interface Endpoint {
	readonly url: string;
	readonly headers: Record<string, string>;
}

function endpointOf(text: string): Endpoint {
	const url = new URL(text);
	const headers: Record<string, string> = { 'content-type': 'application/json' };
	if (url.username) {
		headers['authorization'] =
			`Basic ${btoa(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`)}`;
		url.username = '';
		url.password = '';
	}
	return { url: url.href, headers };
}

/** `urls`: one or more node URLs, the preferred first. @throws TypeError on a malformed URL: configuration, not weather. */
export function jsonRpc(urls: readonly string[]): JsonRpc {
	const endpoints = urls.map(endpointOf);

	async function post(body: unknown): Promise<unknown> {
		let last: unknown;
		for (const endpoint of endpoints) {
			try {
				return await postTo(endpoint, body);
			} catch (error) {
				last = error;
			}
		}
		throw new ChainUnavailable(`no node answered: ${last instanceof Error ? last.message : String(last)}`);
	}

	return {
		async call(method, ...params) {
			return resultOf(await post({ jsonrpc: '2.0', id: 1, method, params }));
		},
		async batch(calls) {
			const results: unknown[] = [];
			for (let start = 0; start < calls.length; start += MAX_BATCH) {
				const part = calls.slice(start, start + MAX_BATCH);
				const answers = await post(part.map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
				if (!Array.isArray(answers)) throw new ChainUnavailable('the node answered a batch with something else');
				const byId = new Map(answers.map((answer: { id?: unknown }) => [answer?.id, answer]));
				for (const id of part.keys()) results.push(settled(() => resultOf(byId.get(id))));
			}
			return results;
		},
	};
}

async function postTo(endpoint: Endpoint, body: unknown): Promise<unknown> {
	const response = await fetch(endpoint.url, {
		method: 'POST',
		headers: endpoint.headers,
		body: JSON.stringify(body),
		redirect: 'manual',
		signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
	});
	if (Number(response.headers.get('content-length') ?? 0) > MAX_ANSWER_BYTES) throw new Error('answer too large');
	const text = await response.text();
	// Core answers RPC errors with HTTP 500 and a JSON body, so the body decides before the status does.
	try {
		return JSON.parse(text, exactNumbers);
	} catch {
		throw new Error(`HTTP ${response.status}, and no JSON`);
	}
}

/** Numbers that a double could not hold exactly, and all fractions, arrive as the text that the node wrote. */
export function exactNumbers(_key: string, value: unknown, context?: { source?: string }): unknown {
	return typeof value === 'number' && !Number.isSafeInteger(value) ? context?.source : value;
}

function resultOf(answer: unknown): unknown {
	if (typeof answer !== 'object' || answer === null) throw new ChainUnavailable('the node answered no JSON-RPC');
	const { result, error } = answer as { result?: unknown; error?: { code?: unknown; message?: unknown } | null };
	if (error) throw new RpcError(Number(error.code ?? 0), String(error.message ?? 'unknown error'));
	if (result === undefined) throw new ChainUnavailable('the node answered no JSON-RPC');
	return result;
}

function settled(run: () => unknown): unknown {
	try {
		return run();
	} catch (error) {
		return error;
	}
}
