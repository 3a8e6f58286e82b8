/** Requests to a provider that speaks plain HTTP. Bounded like those to a node (`rpc/json-rpc.ts`). */
import type * as z from 'zod/mini';
import { ChainUnavailable } from '../../errors.ts';
import type { NodeHeaders } from '../../node-urls.ts';
import { read } from '../../rpc/answers.ts';
import { AnswerTooLarge, boundedBytes } from '../../rpc/bounded-text.ts';
import { endpointOf, MAX_ANSWER_BYTES, parsedAnswer, TIMEOUT_MILLISECONDS } from '../../rpc/json-rpc.ts';
import { notAnswered } from '../../rpc/rpc-error.ts';

/** Characters of a refusal that are kept. */
const MAX_MESSAGE = 300;
/** The provider understood the question and knows no such thing, or takes no such transaction. */
const REFUSALS: ReadonlySet<number> = new Set([400, 404]);

/** The provider's words about a question that it does not answer. */
export class Refused extends Error {
	override readonly name = 'Refused';
}

/** @throws ChainUnavailable for every failure that is not the question's */
export interface Rest {
	readonly host: string;
	/** @throws Refused */
	bytes(path: string, body?: string): Promise<Uint8Array>;
	/** @throws Refused */
	text(path: string, body?: string): Promise<string>;
	/** Null where the question is refused. */
	json<T>(path: string, shape: z.ZodMiniType<T>): Promise<T | null>;
}

/** `text`: without a dialect in front. A query in it (an API key, say) goes with each request. */
export function restOf(text: string, more?: NodeHeaders): Rest {
	const endpoint = endpointOf(text, more);
	const { origin, pathname, search } = new URL(endpoint.url);
	const base = `${origin}${pathname.replace(/\/$/, '')}`;
	const { 'content-type': _, ...headers } = endpoint.headers;

	async function exchange(path: string, body?: string): Promise<{ status: number; bytes: Uint8Array }> {
		const query = search && path.includes('?') ? search.replace('?', '&') : search;
		const response = await fetch(`${base}${path}${query}`, {
			...(body === undefined ? {} : { method: 'POST', body }),
			headers: { ...headers, ...(body !== undefined && { 'content-type': 'text/plain' }) },
			redirect: 'manual',
			signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
		});
		return { status: response.status, bytes: await boundedBytes(response, MAX_ANSWER_BYTES) };
	}

	async function bytes(path: string, body?: string): Promise<Uint8Array> {
		try {
			const answer = await exchange(path, body);
			if (answer.status === 200) return answer.bytes;
			const said = new TextDecoder().decode(answer.bytes.subarray(0, MAX_MESSAGE));
			if (REFUSALS.has(answer.status)) throw new Refused(said);
			throw new Error(`HTTP ${answer.status} ${said}`);
		} catch (error) {
			if (error instanceof Refused) throw error;
			throw notAnswered(`no node answered: ${endpoint.host}`, error, { ...endpoint, url: base });
		}
	}

	const textOf = async (path: string, body?: string) => new TextDecoder().decode(await bytes(path, body));
	return {
		host: endpoint.host,
		bytes,
		text: textOf,
		async json(path, shape) {
			const said = await orNull(textOf(path));
			if (said === null) return null;
			const what = `${endpoint.host}: ${path.split('/')[1] ?? ''}`;
			return read(shape, what, parsed(said, what));
		},
	};
}

function parsed(text: string, what: string): unknown {
	try {
		return parsedAnswer(text, 200);
	} catch (error) {
		throw new ChainUnavailable(`${what}: ${String(error)}`, { tooLarge: error instanceof AnswerTooLarge });
	}
}

/** Null where the question is refused. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
	try {
		return await answer;
	} catch (error) {
		if (error instanceof Refused) return null;
		throw error;
	}
}

/** @throws ChainUnavailable where the provider knows no such thing, but has to */
export function known<T>(answer: T | null, what: string): T {
	if (answer === null) throw new ChainUnavailable(`the node does not know ${what}`);
	return answer;
}
