/**
 * A refusal's answer to the caller and its line in the log. The caller reads a constant; the cause stays in the log.
 * Which kinds there are, and what each means: `refusals.ts`.
 */
import { log } from '../platform/log.ts';
import { CONSTANTS, type HeaderFields, REFUSALS, type Refusal, rowOf } from './refusals.ts';

const ENVELOPE: HeaderFields = { 'content-type': 'application/json', 'cache-control': 'no-store' };

export const isRefusal = (value: unknown): value is Refusal =>
	typeof value === 'object' && value !== null && 'kind' in value && Object.hasOwn(REFUSALS, String(value.kind));

/** `{ code, msg }` and nothing else; success alone has `data`. `more`: headers beside its own. */
export function refusalResponse(refusal: Refusal, more: HeaderFields = {}): Response {
	const { answer, msg = answer, headers, ...special } = rowOf(refusal);
	const { code, status, ...usual } = CONSTANTS[answer];
	return new Response(JSON.stringify({ code, msg }), {
		status: special.status ?? status,
		headers: {
			...ENVELOPE,
			...('retryAfterSeconds' in usual && { 'retry-after': String(usual.retryAfterSeconds) }),
			...more,
			...headers?.(refusal),
		},
	});
}

/** The contract's code. */
export const codeOf = (refusal: Refusal): number => CONSTANTS[rowOf(refusal).answer].code;

/** The contract's message. */
export const messageOf = (refusal: Refusal): string => rowOf(refusal).msg ?? rowOf(refusal).answer;

/** Why, in words for the operator. */
export const refusalText = (refusal: Refusal): string => rowOf(refusal).text(refusal);

/** For test keys: nobody learns from it what could be used against a partner with coins. A header is ASCII. */
export const reasonHeader = (refusal: Refusal): HeaderFields => ({
	'x-refusal-reason': refusalText(refusal)
		.replace(/[^\x20-\x7e]/g, '?')
		.slice(0, MAX_REASON),
});

const MAX_REASON = 200;

/** The kind can be counted, and `alert` be watched for; `reason` is for people. */
export function logRefusal(refusal: Refusal, call: { readonly requestId: string; readonly path: string }): void {
	const { answer, alert } = rowOf(refusal);
	const reason = refusalText(refusal);
	log('refused', { ...call, refused: answer, kind: refusal.kind, reason, ...(alert && { alert }) });
}

/** The headers of every success of a path: made once, and copied by the runtime, it costs a call next to nothing. */
export const successHeaders = (more: HeaderFields): Headers => new Headers({ ...ENVELOPE, ...more });

/** `data` is JSON text already, so that what was serialised once can be served many times. */
export const successResponse = (dataJson: string, headers: Headers): Response =>
	new Response(`{"code":0,"msg":"","data":${dataJson}}`, { headers });
