/**
 * Errors, as classes: a refusal of the service by the family of its code, a call without a usable answer, a webhook
 * that is not authentic, a wait that took too long. Pure.
 */

/** The base of every error of this library. */
export class ExchangeError extends Error {}

/** The facts of a refusal. */
export interface RefusalFacts {
	/** The call, for example `create`. */
	readonly call: string;
	readonly code: number;
	/** The text of the answer: a constant, for example `RATE_LIMIT`, or `order not in emergency state`. */
	readonly msg: string;
	/** The HTTP status: a hint. Switch on `code`. */
	readonly status: number;
	/** `X-Request-Id`: quote it when you ask the operator. */
	readonly requestId: string | null;
	/** `Retry-After`: when to come back. */
	readonly retryAfterSeconds: number | null;
}

/** The service refused the call. `name` is the answer's `msg`; `code` says why. Its subclasses are families of codes. */
export class RefusedError extends ExchangeError {
	override readonly name: string;
	readonly code: number;
	readonly status: number;
	readonly requestId: string | null;
	readonly retryAfterSeconds: number | null;

	constructor({ call, code, msg, status, requestId, retryAfterSeconds }: RefusalFacts) {
		super(`${call}: code ${code}, ${msg}${requestId === null ? '' : ` (request ${requestId})`}`);
		this.name = msg;
		this.code = code;
		this.status = status;
		this.requestId = requestId;
		this.retryAfterSeconds = retryAfterSeconds;
	}
}

/** 1 and 12: the call is wrong. The same call is refused again. */
export class InvalidRequestError extends RefusedError {}
/** 2, 3 and 4: the call is not authentic, or the partner is disabled. */
export class AuthError extends RefusedError {}
/** 5: the weight budget is used up. */
export class RateLimitError extends RefusedError {}
/** 6: no such order or reference code for this caller. */
export class NotFoundError extends RefusedError {}
/** 7, 8 and 13: below a minimum, or above a maximum. */
export class LimitError extends RefusedError {}
/** 9, 10 and 11: maintenance, or something that the answer needs is unavailable. Come back later. */
export class UnavailableError extends RefusedError {}
/** 14: another rotation won. */
export class ConflictError extends RefusedError {}
/** 99: the service failed. */
export class InternalError extends RefusedError {}

const FAMILIES: readonly (readonly [family: typeof RefusedError, codes: readonly number[]])[] = [
	[InvalidRequestError, [1, 12]],
	[AuthError, [2, 3, 4]],
	[RateLimitError, [5]],
	[NotFoundError, [6]],
	[LimitError, [7, 8, 13]],
	[UnavailableError, [9, 10, 11]],
	[ConflictError, [14]],
	[InternalError, [99]],
];

/** A code that this version does not know is a plain `RefusedError`. */
export function refusedError(facts: RefusalFacts): RefusedError {
	const [Family = RefusedError] = FAMILIES.find(([, codes]) => codes.includes(facts.code)) ?? [];
	return new Family(facts);
}

/** Why there is no answer: none in time, no connection, or an answer that is not the service's. */
export type NetworkFailure = 'timeout' | 'unreachable' | 'not-an-answer';

const FAILURES: Readonly<Record<NetworkFailure, string>> = {
	timeout: 'no answer in time',
	unreachable: 'the connection failed',
	'not-an-answer': 'the answer is not the service’s',
};

/** The call has no usable answer. Nobody can say whether the service carried it out. */
export class NetworkError extends ExchangeError {
	override readonly name = 'NetworkError';
	readonly reason: NetworkFailure;
	/** The HTTP status, where there was an answer. */
	readonly status: number | null;

	constructor(call: string, reason: NetworkFailure, status: number | null, cause?: unknown) {
		super(`${call}: ${FAILURES[reason]}${status === null ? '' : ` (HTTP ${status})`}`, { cause });
		this.reason = reason;
		this.status = status;
	}
}

/** Why a signed promise is refused. */
export type PromiseProblem =
	| 'missing'
	| 'malformed'
	| 'key-unknown'
	| 'signature-wrong'
	| 'key-old'
	| 'not-of-now'
	| 'other-terms';

const PROMISE_PROBLEMS: Readonly<Record<PromiseProblem, string>> = {
	missing: 'the answer has no signed promise',
	malformed: 'it is no signed promise',
	'key-unknown': 'it is signed with a key that is not trusted, nor linked to one that is',
	'signature-wrong': 'the signature is not over this statement',
	'key-old': 'its key was not in use when the statement says that it was signed',
	'not-of-now': 'it was not signed just now',
	'other-terms': 'it promises something else',
};

/** The promise proves nothing. Show nobody its address, and send nothing there. */
export class PromiseError extends ExchangeError {
	override readonly name = 'PromiseError';
	readonly reason: PromiseProblem;

	/** `what`: the term that differs. */
	constructor(reason: PromiseProblem, what?: string) {
		super(`${PROMISE_PROBLEMS[reason]}${what === undefined ? '' : `: ${what}`}`);
		this.reason = reason;
	}
}

/** Why a webhook is refused. */
export type WebhookProblem = 'header-missing' | 'signature-wrong' | 'timestamp-out-of-range' | 'body-not-an-event';

const PROBLEMS: Readonly<Record<WebhookProblem, string>> = {
	'header-missing': 'the signature or the timestamp is missing or malformed',
	'signature-wrong': 'the signature is made with none of the secrets, or over other bytes',
	'timestamp-out-of-range': 'the timestamp is too old, or ahead of the clock',
	'body-not-an-event': 'the body is not an event',
};

/** The webhook is not authentic. Answer it with HTTP 401, and do nothing else. */
export class WebhookError extends ExchangeError {
	override readonly name = 'WebhookError';
	readonly reason: WebhookProblem;

	constructor(reason: WebhookProblem) {
		super(PROBLEMS[reason]);
		this.reason = reason;
	}
}
