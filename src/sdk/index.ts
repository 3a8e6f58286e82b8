/**
 * The client library, `partner-exchange/sdk`. It depends on nothing and uses what Node, Workers, Deno and Bun have in
 * common: `fetch`, WebCrypto, timers (book: client).
 */
export { type Client, type ClientOptions, createClient, type OrderHandle } from './client.ts';
export type { Clock } from './clock.ts';
export type { Budget, CallOptions, CreateOptions } from './connection.ts';
export {
	AuthError,
	ConflictError,
	ExchangeError,
	InternalError,
	InvalidRequestError,
	LimitError,
	NetworkError,
	type NetworkFailure,
	NotFoundError,
	PromiseError,
	type PromiseProblem,
	RateLimitError,
	RefusedError,
	UnavailableError,
	WebhookError,
	type WebhookProblem,
} from './errors.ts';
export { type Signable, sign, signedText } from './sign.ts';
export {
	type PromiseExpected,
	type PromiseKeys,
	type PromiseStatement,
	type SignedPromise,
	type VerifyPromiseOptions,
	verifyPromise,
} from './verify-promise.ts';
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './verify-webhook.ts';
export { type OrderStatus, type WaitOptions, WaitTimeoutError } from './wait-for.ts';
export type * from './wire.js';
