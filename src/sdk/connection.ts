/**
 * One call, as often as it takes. Each attempt has a new nonce and a new timestamp, and signs the very text that it
 * sends. A clock that is wrong is corrected by the service's `Date`.
 */
import type { Clock } from './clock.ts';
import { ExchangeError, NetworkError, type RefusedError, refusedError } from './errors.ts';
import type { Operation } from './operations.ts';
import { isRetried, pauseAfter } from './retry.ts';
import { sign } from './sign.ts';

export interface CallOptions {
	/** Ends the call; it rejects with the signal's reason. */
	readonly signal?: AbortSignal | undefined;
}

export interface CreateOptions extends CallOptions {
	/**
	 * 8 to 128 characters, one for each order that you mean to make: keep it with your own order, and a create that was
	 * interrupted can be repeated after a restart. Without it each call makes its own, which covers the retries of that call.
	 */
	readonly idempotencyKey?: string | undefined;
}

/** Your weight budget as the service stated it last. */
export interface Budget {
	readonly limit: number;
	readonly remaining: number;
}

export interface Connection {
	readonly url: string;
	readonly apiKey: string | null;
	/** Replaced when it is rotated. */
	apiSecret: string | null;
	readonly timeoutMilliseconds: number;
	/** Attempts after the first. */
	readonly retries: number;
	readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
	readonly clock: Clock;
	/** How far the service's clock is ahead of ours, milliseconds. */
	aheadMilliseconds: number;
	budget: Budget | null;
}

/** A difference below this is the network's, or none that matters: timestamps may be 60 s ahead. */
const MIN_SKEW_MILLISECONDS = 30_000;
const AUTH_INVALID = 3;

/** `data` of the answer. @throws RefusedError, NetworkError, or the signal's reason */
export async function send(
	connection: Connection,
	operation: Operation,
	body: unknown,
	{ signal, idempotencyKey }: CreateOptions,
): Promise<unknown> {
	const key = operation.takesKey ? (idempotencyKey ?? crypto.randomUUID()) : null;
	const text = operation.hasBody ? JSON.stringify(body ?? {}) : '';
	let isCorrected = false;
	for (let attempt = 0; ; ) {
		try {
			return await attemptOnce(connection, operation, { body: text, key, signal });
		} catch (error) {
			// A call with a wrong timestamp was not carried out and has spent nothing.
			const isSkewed = error instanceof SkewedError;
			if (isSkewed && !isCorrected) {
				isCorrected = true;
				connection.aheadMilliseconds = error.aheadMilliseconds;
				continue;
			}
			const refused = isSkewed ? error.refused : error;
			if (attempt >= connection.retries || !isRetried(operation.name, refused)) throw refused;
			const pause = pauseAfter(refused, attempt, Math.random());
			if (pause === null) throw refused;
			await connection.clock.wait(pause, signal);
			attempt += 1;
		}
	}
}

/** Code 3, and the service's clock differs from the one that the call was signed by. */
class SkewedError extends ExchangeError {
	readonly refused: RefusedError;
	readonly aheadMilliseconds: number;

	constructor(refused: RefusedError, aheadMilliseconds: number) {
		super(refused.message);
		this.refused = refused;
		this.aheadMilliseconds = aheadMilliseconds;
	}
}

async function attemptOnce(
	connection: Connection,
	operation: Operation,
	{
		body,
		key,
		signal,
	}: { readonly body: string; readonly key: string | null; readonly signal: AbortSignal | undefined },
): Promise<unknown> {
	const { method, path, name } = operation;
	const headers = {
		...(body !== '' && { 'content-type': 'application/json' }),
		...(await signedHeaders(connection, operation, body)),
		...(key !== null && { 'idempotency-key': key }),
	};
	const timeout = AbortSignal.timeout(connection.timeoutMilliseconds);
	// The answer's body counts, too. A redirect is not followed: the call was signed for this service.
	const init: RequestInit = {
		method,
		headers,
		redirect: 'manual',
		...(body !== '' && { body }),
		signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
	};
	let response: Response | null = null;
	try {
		response = await connection.fetch(connection.url + path, init);
		return dataOf(connection, name, response, await response.text());
	} catch (error) {
		if (error instanceof ExchangeError) throw error;
		signal?.throwIfAborted();
		throw new NetworkError(name, timeout.aborted ? 'timeout' : 'unreachable', response?.status ?? null, error);
	}
}

async function signedHeaders(
	{ apiKey, apiSecret, clock, aheadMilliseconds }: Connection,
	{ name, isSigned }: Operation,
	body: string,
): Promise<Record<string, string>> {
	if (apiKey === null || apiSecret === null) {
		if (!isSigned) return {};
		throw new TypeError(`${name} is signed: give the client an apiKey and an apiSecret`);
	}
	const nonce = crypto.randomUUID();
	const timestamp = String(Math.floor((clock.now() + aheadMilliseconds) / 1000));
	return {
		'x-api-key': apiKey,
		'x-api-nonce': nonce,
		'x-api-timestamp': timestamp,
		'x-api-sign': await sign(apiSecret, { body, nonce, timestamp }),
	};
}

/** @throws RefusedError, SkewedError, or NetworkError where the text is no envelope */
function dataOf(connection: Connection, call: string, { status, headers }: Response, text: string): unknown {
	const envelope = parsed(text);
	if (!envelope) throw new NetworkError(call, 'not-an-answer', status);
	const [limit, remaining] = [numberIn(headers, 'x-budget-limit'), numberIn(headers, 'x-budget-remaining')];
	if (limit !== null && remaining !== null) connection.budget = { limit, remaining };
	const { code, msg, data } = envelope;
	if (code === 0) return data;
	const requestId = headers.get('x-request-id');
	const refused = refusedError({
		call,
		code,
		msg,
		status,
		requestId,
		retryAfterSeconds: numberIn(headers, 'retry-after'),
	});
	const ahead = Date.parse(headers.get('date') ?? '') - connection.clock.now();
	const isSkewed = Math.abs(ahead - connection.aheadMilliseconds) > MIN_SKEW_MILLISECONDS;
	throw code === AUTH_INVALID && isSkewed ? new SkewedError(refused, ahead) : refused;
}

interface Envelope {
	readonly code: number;
	readonly msg: string;
	readonly data?: unknown;
}

function parsed(text: string): Envelope | null {
	try {
		const value = JSON.parse(text) as Partial<Envelope> | null;
		return typeof value?.code === 'number' && typeof value.msg === 'string' ? (value as Envelope) : null;
	} catch {
		return null;
	}
}

function numberIn(headers: Headers, name: string): number | null {
	const text = headers.get(name) ?? '';
	return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
