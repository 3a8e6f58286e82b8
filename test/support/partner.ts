/** A partner's side of the contract: credentials, signing over the raw bytes, and calls over HTTP. */
import { randomUUID } from 'node:crypto';
import { beforeAll } from 'vitest';
import { signedHeaders } from '../cast/signing.ts';
import type { TestService } from './service.ts';

/** Where a service answers: in this process or in one of its own. */
export interface Reachable {
	readonly url: string;
}

export interface Credentials {
	readonly id: string;
	readonly apiKey: string;
	readonly apiSecret: string;
	readonly webhookSecret: string;
}

export interface Answer<T = Record<string, unknown>> {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
	readonly code: number;
	readonly msg: string;
	readonly data: T;
}

/** What a test may change about a signed call. A header that is null is left out. */
export interface Bend {
	readonly method?: string;
	readonly mode?: 'timestamp' | 'body-only';
	readonly timestamp?: string;
	readonly nonce?: string;
	readonly apiKey?: string;
	readonly apiSecret?: string;
	readonly headers?: Readonly<Record<string, string | null>>;
	/** Sent instead of the bytes that were signed. */
	readonly sentBody?: string | Uint8Array<ArrayBuffer>;
	/** The caller goes away. */
	readonly signal?: AbortSignal;
}

export const newNonce = (): string => randomUUID();

export async function createPartner(
	service: Pick<TestService, 'operator'>,
	more: Record<string, unknown> = {},
): Promise<Credentials> {
	return service.operator<Credentials>('partner/create', { name: 'A partner', ...more });
}

/** One partner for a test file, whose budget no test exhausts. Call it at the top; read it inside tests and hooks. */
export function partnerForFile(service: { current: () => TestService }): () => Credentials {
	let credentials: Credentials | null = null;
	beforeAll(async () => {
		credentials = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
	});
	return () => {
		if (!credentials) throw new Error('the partner has not been created yet');
		return credentials;
	};
}

/** An unsigned call. `body`: raw text or bytes, or a value that is sent as JSON; undefined: none. */
export async function call<T = Record<string, unknown>>(
	service: Reachable,
	path: string,
	body?: unknown,
	init: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer<T>> {
	const response = await fetch(service.url + path, {
		method: init.method ?? 'POST',
		headers: { 'content-type': 'application/json', ...init.headers },
		...(body !== undefined && { body: rawOf(body) }),
	});
	return answerOf(response);
}

/** A signed call, in timestamp mode unless `bend` says otherwise. */
export async function signed<T = Record<string, unknown>>(
	service: Reachable,
	partner: Credentials,
	path: string,
	body: unknown,
	bend: Bend = {},
): Promise<Answer<T>> {
	const raw = rawOf(body);
	const nonce = bend.nonce ?? newNonce();
	const timestamp = bend.timestamp ?? String(Math.floor(Date.now() / 1000));
	const { apiKey, apiSecret } = { ...partner, ...bend };
	const isBodyOnly = bend.mode === 'body-only';
	const headers: Record<string, string | null> = {
		'content-type': 'application/json',
		...signedHeaders({ apiKey, apiSecret }, raw, { nonce, timestamp: isBodyOnly ? null : timestamp }),
		...bend.headers,
	};
	const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null);
	const method = bend.method ?? 'POST';
	const response = await fetch(service.url + path, {
		method,
		headers: sent,
		...(method !== 'GET' && { body: bend.sentBody ?? raw }),
		...(bend.signal && { signal: bend.signal }),
	});
	return answerOf<T>(response);
}

async function answerOf<T>(response: Response): Promise<Answer<T>> {
	const text = await response.text();
	const { code, msg, data } = text.startsWith('{') ? JSON.parse(text) : { code: -1, msg: text, data: undefined };
	return { status: response.status, headers: response.headers, text, code, msg, data };
}

const rawOf = (body: unknown): string | Uint8Array<ArrayBuffer> =>
	typeof body === 'string' || body instanceof Uint8Array
		? (body as string | Uint8Array<ArrayBuffer>)
		: JSON.stringify(body);
