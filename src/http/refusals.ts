/**
 * Every reason for which a call is refused: one row per kind, with what the caller reads (`answer`, and where it differs
 * from the constant's usual answer `status`, `msg` or `headers`), what the log reads (`text`), and whether the operator
 * has to act (`alert`). The rows' arguments are the facts of the kind. Pure.
 */
/** The partner's weight in the window, after this call. */
export interface Budget {
	readonly limit: number;
	readonly remaining: number;
}

/** The answers that callers read: code and message are the contract's. */
export const CONSTANTS = {
	INVALID_REQUEST: { code: 1, status: 400 },
	AUTH_REQUIRED: { code: 2, status: 401 },
	AUTH_INVALID: { code: 3, status: 401 },
	AUTH_DISABLED: { code: 4, status: 401 },
	RATE_LIMIT: { code: 5, status: 429 },
	NOT_FOUND: { code: 6, status: 404 },
	LIMIT_MIN: { code: 7, status: 400 },
	LIMIT_MAX: { code: 8, status: 400 },
	/** Maintenance takes minutes; what is missing upstream is often back with the next refresh. */
	MAINTENANCE: { code: 10, status: 503, retryAfterSeconds: 60 },
	UPSTREAM_ERROR: { code: 11, status: 503, retryAfterSeconds: 10 },
	EMERGENCY_INVALID_CHOICE: { code: 12, status: 400 },
	LIMIT_EXCEEDED: { code: 13, status: 403 },
	ROTATION_CONFLICT: { code: 14, status: 409 },
	INTERNAL: { code: 99, status: 500 },
} as const satisfies Record<string, { code: number; status: number; retryAfterSeconds?: number }>;

/** By their names, in small letters. */
export type HeaderFields = Readonly<Record<string, string>>;

export type RefusalConstant = keyof typeof CONSTANTS;
export type ErrorCode = (typeof CONSTANTS)[RefusalConstant]['code'];
/** The one text that is no constant. */
export type RefusalMessage = 'order not in emergency state';

interface Row<Facts> {
	readonly answer: RefusalConstant;
	readonly text: (facts: Facts) => string;
	readonly status?: number;
	readonly msg?: RefusalMessage;
	readonly headers?: (facts: Facts) => HeaderFields;
	readonly alert?: true;
}

type None = Readonly<Record<never, never>>;
type More<Facts> = Pick<Row<Facts>, 'status' | 'msg' | 'headers' | 'alert'>;

const row = <Facts = None>(
	answer: RefusalConstant,
	text: string | ((facts: Facts) => string),
	more: More<Facts> = {},
): Row<Facts> => ({ answer, text: typeof text === 'string' ? () => text : text, ...more });

const retryAfter = ({ retryAfterSeconds }: RetryAfter) => ({ 'retry-after': String(retryAfterSeconds) });

/** The weight that a partner has left. A partner who does not look for it is not troubled. */
export const budgetHeaders = ({ limit, remaining }: Budget): HeaderFields => ({
	'x-budget-limit': String(limit),
	'x-budget-remaining': String(remaining),
});
const limitHeaders = ({ limits: { fromMin, fromMax, toMin, toMax } }: Bound): HeaderFields => ({
	'x-limit-from-min': fromMin,
	'x-limit-from-max': fromMax,
	'x-limit-to-min': toMin,
	'x-limit-to-max': toMax,
});
/** Alert: nothing brings the service back but the operator, or the operator has to know that it was down. */
const ALERT = { alert: true } as const;

/** The body's field that is wrong. */
interface Field {
	readonly field: 'ccy' | 'fromCcy' | 'toCcy' | 'toAddress' | 'refundAddress';
}
interface Pair {
	readonly from: string;
	readonly to: string;
}
interface Bound {
	readonly asset: string;
	/** Coins, plain decimal. */
	readonly bound: string;
	readonly limits: Limits;
}
/** Coins, plain decimal: what create accepts of this pair now, on either side. */
interface Limits {
	readonly fromMin: string;
	readonly fromMax: string;
	readonly toMin: string;
	readonly toMax: string;
}
interface Floor {
	readonly asset: string;
	/** Coins, plain decimal: what was asked for at least, and what create would quote now. */
	readonly floor: string;
	readonly toAmount: string;
}
interface RetryAfter {
	readonly retryAfterSeconds: number;
}

export const REFUSALS = {
	// The surface.
	'unknown-path': row('NOT_FOUND', 'unknown path'),
	'wrong-method': row<{ readonly allow: string }>('INVALID_REQUEST', 'wrong method', {
		status: 405,
		headers: ({ allow }) => ({ allow }),
	}),
	'body-too-large': row('INVALID_REQUEST', 'body too large', { status: 413 }),
	'body-broken-off': row<{ readonly error: string }>('INVALID_REQUEST', ({ error }) => `body broken off: ${error}`),
	'body-not-empty': row('INVALID_REQUEST', 'body is neither {} nor empty'),
	'body-invalid': row<{ readonly issue: string }>('INVALID_REQUEST', ({ issue }) => issue),
	'configuration-wrong': row<{ readonly problem: string }>('UPSTREAM_ERROR', ({ problem }) => problem, ALERT),
	unexpected: row('INTERNAL', 'unexpected', ALERT),

	// Who calls: the order of these checks is the contract's.
	'auth-header-missing': row('AUTH_REQUIRED', 'auth header missing'),
	'one-auth-header': row('AUTH_INVALID', 'one of two auth headers'),
	'signature-malformed': row('AUTH_INVALID', 'signature malformed'),
	'nonce-malformed': row('AUTH_INVALID', 'nonce malformed'),
	'timestamp-malformed': row('AUTH_INVALID', 'timestamp malformed'),
	'code-malformed': row('AUTH_INVALID', 'reference code malformed'),
	'api-key-unknown': row('AUTH_INVALID', 'apiKey checksum'),
	'partner-unknown': row('AUTH_INVALID', 'no such partner'),
	'signature-wrong': row('AUTH_INVALID', 'signature'),
	'signature-wrong-in-flood': row('AUTH_INVALID', 'signature, one of many'),
	'secret-replaced': row('AUTH_INVALID', 'secret replaced'),
	'nonce-replayed': row('AUTH_INVALID', 'nonce replayed'),
	'timestamp-required': row('AUTH_INVALID', 'timestamp required'),
	'timestamp-out-of-range': row('AUTH_INVALID', 'timestamp out of range'),
	'code-refused': row('AUTH_INVALID', 'reference code unknown or disabled'),
	'key-refused': row('AUTH_INVALID', 'no such key, or one that was revoked'),
	'key-expired': row('AUTH_INVALID', 'key expired'),
	'key-address': row('AUTH_INVALID', 'key does not admit this address'),
	'partner-disabled': row('AUTH_DISABLED', 'partner disabled'),
	'key-not-permitted': row('AUTH_DISABLED', 'the key is of a kind that may not do this'),
	'budget-exhausted': row<RetryAfter & { readonly budget: Budget }>('RATE_LIMIT', 'budget exhausted', {
		headers: (facts) => ({ ...retryAfter(facts), ...budgetHeaders(facts.budget) }),
	}),
	'anonymous-budget-exhausted': row<RetryAfter>('RATE_LIMIT', 'anonymous bucket exhausted', { headers: retryAfter }),

	// Quotes.
	'unknown-asset': row<Field>('INVALID_REQUEST', ({ field }) => `${field} names no asset`),
	'amount-invalid': row('INVALID_REQUEST', 'the amount is not one of the asset'),
	'pair-inactive': row<Pair>('INVALID_REQUEST', ({ from, to }) => `pair not active: ${from} to ${to}`),
	'no-market': row('UPSTREAM_ERROR', 'no market snapshot', ALERT),
	'no-price': row<Pair>('UPSTREAM_ERROR', ({ from, to }) => `price too old or network silent: ${from} to ${to}`, ALERT),

	// Orders.
	'idempotency-key-malformed': row('INVALID_REQUEST', 'Idempotency-Key malformed'),
	'reference-missing': row('INVALID_REQUEST', 'externalIdUnique without an externalId'),
	'idempotency-key-reused': row('INVALID_REQUEST', 'Idempotency-Key or unique externalId reused with another body', {
		status: 409,
	}),
	'idempotency-key-taken': row('INVALID_REQUEST', 'Idempotency-Key or unique externalId taken meanwhile'),
	'replayed-order-deleted': row('NOT_FOUND', 'the order of this Idempotency-Key or externalId was deleted'),
	'same-asset': row('INVALID_REQUEST', 'fromCcy and toCcy are one asset'),
	'address-invalid': row<Field>('INVALID_REQUEST', ({ field }) => field),
	'address-hot-wallet': row<Field>('INVALID_REQUEST', ({ field }) => `${field} is a hot wallet of ours`),
	'address-unusable': row<Field>(
		'INVALID_REQUEST',
		({ field }) => `${field} is a token, a program or another contract that cannot use what it gets`,
	),
	'address-pay-in': row('INVALID_REQUEST', 'toAddress or refundAddress is a pay-in address of ours'),
	maintenance: row('MAINTENANCE', 'site in maintenance'),
	'amount-below-minimum': row<Bound>('LIMIT_MIN', ({ bound, asset }) => `below ${bound} ${asset}`, {
		headers: limitHeaders,
	}),
	'amount-above-maximum': row<Bound>('LIMIT_MAX', ({ bound, asset }) => `above ${bound} ${asset}`, {
		headers: limitHeaders,
	}),
	'floor-two-ways': row('INVALID_REQUEST', 'minToAmount and slippageBps: an order has one floor'),
	'floor-above-quote': row<Floor>(
		'INVALID_REQUEST',
		({ asset, floor, toAmount }) => `the floor is ${floor} ${asset}, and the rate gives ${toAmount} now`,
		{ headers: ({ toAmount }) => ({ 'x-quote-to-amount': toAmount }) },
	),
	'payout-not-positive': row('LIMIT_MIN', 'the payout would not be positive'),
	'daily-cap': row('LIMIT_MAX', 'operator daily cap', ALERT),
	'unpaid-share': row('LIMIT_MAX', 'share of the daily cap that the partner’s unpaid orders may hold'),
	'no-pay-in-address': row<{ readonly network: string }>(
		'UPSTREAM_ERROR',
		({ network }) => `no pay-in address left on ${network}`,
		ALERT,
	),
	'order-unknown': row('NOT_FOUND', 'no such order'),
	'cursor-invalid': row('INVALID_REQUEST', 'cursor is not one that a page ended with'),
	'choice-invalid': row('EMERGENCY_INVALID_CHOICE', 'choice is not EXCHANGE'),
	'order-not-in-emergency': row<{ readonly status: string }>('INVALID_REQUEST', ({ status }) => `order is ${status}`, {
		msg: 'order not in emergency state',
	}),

	// The public sandbox.
	'sandbox-full': row<RetryAfter>('RATE_LIMIT', 'no more visitors today, from this network or at all', {
		headers: retryAfter,
	}),
	'visit-used-up': row<RetryAfter>('RATE_LIMIT', 'a visitor may make no more of it', { headers: retryAfter }),
	'sandbox-event-refused': row<{ readonly problem: string }>('INVALID_REQUEST', ({ problem }) => problem),
	'asked-rate-limit': row<RetryAfter>('RATE_LIMIT', 'asked for by X-Sandbox-Answer', { headers: retryAfter }),
	'asked-maintenance': row('MAINTENANCE', 'asked for by X-Sandbox-Answer'),
	'asked-upstream-error': row('UPSTREAM_ERROR', 'asked for by X-Sandbox-Answer'),
	'asked-internal': row('INTERNAL', 'asked for by X-Sandbox-Answer'),

	// Reference codes and keys.
	'code-taken': row('INVALID_REQUEST', 'the partner has this code'),
	'code-limit': row('LIMIT_EXCEEDED', 'maxRefCodes reached'),
	'code-unknown': row('NOT_FOUND', 'the partner has no such code'),
	'key-limit': row('LIMIT_EXCEEDED', 'the partner has as many keys as a partner may have'),
	'key-unknown': row('NOT_FOUND', 'the partner has no such key'),
	'gate-not-told': row('INTERNAL', 'a reference code is stored, but the gate could not be told', ALERT),
	'endpoint-limit': row('LIMIT_EXCEEDED', 'the partner has as many webhook endpoints as a partner may have'),
	'endpoint-unknown': row('NOT_FOUND', 'the partner has no such webhook endpoint'),
	'event-unknown': row('NOT_FOUND', 'no such event that can be sent again'),
	'no-webhook-endpoint': row('NOT_FOUND', 'the partner has no enabled webhook endpoint, or not this one'),
	'rotation-conflict': row('ROTATION_CONFLICT', 'the secrets were replaced after this call was verified'),
	'rotation-replayed': row('AUTH_INVALID', 'a rotation under this signature was carried out'),

	// The operator API.
	'operator-api-off': row('NOT_FOUND', 'the operator API is off'),
	'operator-token-wrong': row('AUTH_INVALID', 'operator token'),
	'operator-token-guessed': row<RetryAfter>('RATE_LIMIT', 'wrong operator tokens of this network', {
		headers: retryAfter,
	}),
} as const;

export type RefusalKind = keyof typeof REFUSALS;

type FactsOf<Kind extends RefusalKind> = (typeof REFUSALS)[Kind] extends Row<infer Facts> ? Facts : never;

/** A refusal is a value: its kind and the facts of that kind. */
export type Refusal = { [Kind in RefusalKind]: { readonly kind: Kind } & FactsOf<Kind> }[RefusalKind];

/** The row of a refusal, typed for any of them. */
export const rowOf = ({ kind }: Refusal): Row<Refusal> => REFUSALS[kind] as Row<never> as Row<Refusal>;
