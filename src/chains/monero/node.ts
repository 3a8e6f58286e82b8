/**
 * Calls to monerod and monero-wallet-rpc: JSON-RPC with named parameters at /json_rpc, and monerod's older calls at
 * paths of their own. Whatever is answered, the caller gets a checked value, `ChainUnavailable` or, where it asks for
 * it, an `RpcError`. One URL, no failover.
 */
import * as z from 'zod/mini';
import { ChainUnavailable } from '../errors.ts';
import { headersFor, type NodeHeaders } from '../node-urls.ts';
import { read } from '../rpc/answers.ts';
import { boundedText } from '../rpc/bounded-text.ts';
import { exactNumbers } from '../rpc/json-rpc.ts';
import { notAnswered, RpcError } from '../rpc/rpc-error.ts';

/** Longest wait for one answer, milliseconds. A wallet that reads many blocks, or signs, needs time. */
const TIMEOUT_MILLISECONDS = 30_000;
/** Largest answer that is read, bytes. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/**
 * Largest number of requests for one call. The first one gets a challenge. An answer that leaves on another connection
 * gets a new challenge. Every call may safely arrive twice.
 */
const MAX_TRIES = 12;
/**
 * The challenge is valid only on its own connection, so we wait until that is free again. The wait grows with each try
 * and is random, so that parallel calls do not keep colliding.
 */
const ANSWER_PAUSE_MILLISECONDS = 10;

export interface MoneroRpc {
	/** @throws RpcError, ChainUnavailable */
	call<T>(shape: z.ZodMiniType<T>, method: string, params?: object): Promise<T>;
	/** @throws ChainUnavailable */
	post<T>(shape: z.ZodMiniType<T>, path: string, body: object): Promise<T>;
}

export interface Credentials {
	readonly user: string;
	readonly password: string;
}

/** The `Authorization` header that answers a 401's `WWW-Authenticate`; null where it asks for another kind. */
export type AnswerChallenge = (header: string | null, credentials: Credentials, uri: string) => string | null;

/** Sends one call's request, and does not wait longer than that. @throws Error where no answer comes */
export type Send = (
	url: URL,
	request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
	timeoutMilliseconds: number,
) => Promise<Response>;

export interface Reached {
	readonly timeoutMilliseconds?: number;
	readonly headers?: NodeHeaders | undefined;
	/** Absent: over HTTP. */
	readonly send?: Send | undefined;
	/** Absent: user and password leave with the first request, as a proxy in front of a program takes them. */
	readonly answer?: AnswerChallenge;
}

/**
 * `text`: http(s)://user:password@host:port, with or without credentials.
 * @throws TypeError on anything that is not a URL.
 */
export function moneroRpc(
	text: string,
	{ timeoutMilliseconds = TIMEOUT_MILLISECONDS, headers: more, answer, send = overHttp }: Reached = {},
): MoneroRpc {
	const url = new URL(text);
	const credentials = credentialsOf(url);
	const base = url.href.replace(/\/$/, '');
	const own = headersFor(more, url.host);

	async function ask(path: string, body: object): Promise<unknown> {
		try {
			return await exchange(new URL(`${base}/${path}`), {
				body: JSON.stringify(body),
				credentials,
				answer,
				own,
				send: (to, request) => send(to, request, timeoutMilliseconds),
			});
		} catch (error) {
			throw notAnswered(url.host, error, { url: base, host: url.host });
		}
	}

	return {
		async call(shape, method, params = {}) {
			const answer = read(ENVELOPE, method, await ask('json_rpc', { jsonrpc: '2.0', id: '0', method, params }));
			if (answer.error) throw new RpcError(answer.error.code, `${method}: ${answer.error.message}`);
			return read(shape, method, answer.result);
		},
		async post(shape, path, body) {
			return read(shape, path, await ask(path, body));
		},
	};
}

const ENVELOPE = z.lazy(() =>
	z.object({ result: z.optional(z.unknown()), error: z.optional(z.object({ code: z.int(), message: z.string() })) }),
);

/** Twice at most: a kept connection may be closed just then. */
const overHttp: Send = async (url, request, timeoutMilliseconds) => {
	for (let isAgain = false; ; isAgain = true) {
		const signal = AbortSignal.timeout(timeoutMilliseconds);
		try {
			return await fetch(url, { ...request, method: 'POST', redirect: 'manual', signal });
		} catch (error) {
			if (signal.aborted || isAgain) throw error;
		}
	}
};

/** Removes the credentials from the URL, because workerd refuses URLs with credentials. */
function credentialsOf(url: URL): Credentials | null {
	if (!url.username) return null;
	const credentials = { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
	url.username = '';
	url.password = '';
	return credentials;
}

async function exchange(
	url: URL,
	{
		body,
		credentials,
		answer,
		own,
		send,
	}: {
		readonly body: string;
		readonly credentials: Credentials | null;
		readonly answer: AnswerChallenge | undefined;
		readonly own: Readonly<Record<string, string>>;
		readonly send: (url: URL, request: Parameters<Send>[1]) => Promise<Response>;
	},
): Promise<unknown> {
	const headers: Record<string, string> = { ...own, 'content-type': 'application/json' };
	if (credentials && !answer) headers['authorization'] = `Basic ${btoa(`${credentials.user}:${credentials.password}`)}`;
	for (let tries = 1; ; tries++) {
		const response = await send(url, { headers, body });
		const text = await boundedText(response, MAX_ANSWER_BYTES);
		if (credentials && answer && response.status === 401 && tries < MAX_TRIES) {
			const answered = answer(response.headers.get('www-authenticate'), credentials, url.pathname);
			await new Promise((wait) => setTimeout(wait, Math.random() * ANSWER_PAUSE_MILLISECONDS * tries));
			headers['authorization'] = answered ?? '';
			if (answered !== null) continue;
		}
		if (!response.ok) throw new Error(`HTTP ${response.status}`);
		return JSON.parse(text, exactNumbers);
	}
}

/** For calls where any refusal means that nothing is known. @throws ChainUnavailable */
export async function ask<T>(rpc: MoneroRpc, shape: z.ZodMiniType<T>, method: string, params?: object): Promise<T> {
	try {
		return await rpc.call(shape, method, params);
	} catch (error) {
		throw unavailable(error);
	}
}

/** A refusal as `ChainUnavailable`, any other error as it is. */
export const unavailable = (error: unknown): unknown =>
	error instanceof RpcError ? new ChainUnavailable(`${error.code} ${error.message}`) : error;
