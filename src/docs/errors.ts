/**
 * The table of codes (book: contract, "Errors"), and which of them an endpoint can answer with at which HTTP status.
 */
import { CONSTANTS, type ErrorCode, type RefusalConstant, type RefusalMessage } from '../http/refusals.ts';
import type { DocumentedEndpoint } from '../ports/endpoint-docs.ts';
import type { JsonSchema } from './json-schemas.ts';

/** The specification's words; a code without them does not compile. */
const WHEN: Readonly<Record<RefusalConstant, string>> = {
	INVALID_REQUEST:
		'The body fails validation: unsupported asset, disabled pair, unparseable amount (zero or negative included), ' +
		'invalid direction, invalid address, one of the service itself or one that burns coins, missing refundAddress, afftax or afftaxBps out of range, malformed ' +
		'Idempotency-Key. HTTP 409 where an Idempotency-Key is reused with a different payload',
	AUTH_REQUIRED: 'X-API-KEY or X-API-SIGN missing on a signed endpoint',
	AUTH_INVALID:
		'Unknown key, bad signature, bad, missing, short, long or replayed nonce, bad timestamp or none where one is needed, ' +
		'disabled reference code, scoped key that is revoked, expired or used from another address, old secret after rotation, signature of a rotation that was carried out already. The cause is not revealed',
	AUTH_DISABLED:
		'The partner is disabled, or the scoped key is of a kind that may not do this; only reachable with a valid signature',
	RATE_LIMIT: 'Weight budget exhausted within the 60-second sliding window, or anonymous bucket exhausted',
	NOT_FOUND:
		'Order missing, owned by another partner, wrong token, or deleted; a reference code or a key that you do not have',
	LIMIT_MIN: 'Create amount below the per-pair USD minimum',
	LIMIT_MAX: 'Create amount above the per-pair USD maximum or the operator daily cap',
	MAINTENANCE: 'Site in operator-toggled upgrade mode',
	UPSTREAM_ERROR: 'A required upstream is unavailable; retry with exponential backoff',
	EMERGENCY_INVALID_CHOICE: '`choice` is not exactly `EXCHANGE`',
	LIMIT_EXCEEDED: 'You hold as many reference codes (default 50) or scoped keys (10) as you may',
	ROTATION_CONFLICT: 'Another rotation won the race',
	INTERNAL:
		'Unexpected server condition; safe to retry (create with the same Idempotency-Key, everything with a fresh nonce)',
};

export interface DocumentedError {
	readonly code: number;
	readonly msg: string;
	readonly status: number;
	readonly when: string;
}

const CONSTANT_NAMES = Object.keys(CONSTANTS) as RefusalConstant[];

/** Every code of the contract, in its order. */
export const ERRORS: readonly DocumentedError[] = [
	...CONSTANT_NAMES.map((msg) => ({ ...CONSTANTS[msg], msg, when: WHEN[msg] })),
	{ code: 9, msg: 'RESERVE_EXCEEDED', status: 503, when: 'Reserved; no route emits it' },
].toSorted((a, b) => a.code - b.code);

const MESSAGE: RefusalMessage = 'order not in emergency state';

/** Every refusal; which of them a call has stands beside its status. */
export const ERROR_SCHEMA: JsonSchema = {
	type: 'object',
	description: 'A refusal: switch on `code`.',
	required: ['code', 'msg'],
	properties: {
		code: { type: 'integer', enum: ERRORS.map(({ code }) => code) },
		msg: { type: 'string', enum: [...ERRORS.map(({ msg }) => msg), MESSAGE] },
	},
};

/** Where the surface as a whole refuses, before a handler is asked. */
const SURFACE_ERRORS: Readonly<Record<DocumentedEndpoint['auth'], readonly ErrorCode[]>> = {
	required: [2, 3, 4, 5, 99],
	optional: [3, 4, 5, 99],
	none: [99],
};

const TOO_LARGE = 413;
const CONFLICT = 409;

/** The refusals of this endpoint: its own codes, its surface's, and code 1 at every status that it has there. */
export function errorsOf(endpoint: DocumentedEndpoint): DocumentedError[] {
	const { errors, request, messages = [], takesIdempotencyKey } = endpoint;
	const codes = new Set<number>([...errors, ...SURFACE_ERRORS[endpoint.auth], ...(request ? [1] : [])]);
	const usual = ERRORS.filter(({ code }) => codes.has(code));
	const invalid = usual.filter(({ code }) => code === 1);
	return [
		...usual,
		...invalid.flatMap((error) => messages.map((msg) => ({ ...error, msg, when: 'The order is live' }))),
		...invalid.flatMap((error) => [
			...(takesIdempotencyKey
				? [{ ...error, status: CONFLICT, when: 'The Idempotency-Key was used with a different payload' }]
				: []),
			...(request?.inQuery ? [] : [{ ...error, status: TOO_LARGE, when: 'The body is larger than 16 KiB' }]),
		]),
	];
}
