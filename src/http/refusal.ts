/**
 * Refusals: what a caller may be told, said once (spec, "Errors"). A refusal is a value; it carries a reason for the
 * log, which never reaches the caller.
 */

export const CONSTANTS = {
	INVALID_REQUEST: { code: 1, status: 400 },
	AUTH_REQUIRED: { code: 2, status: 401 },
	AUTH_INVALID: { code: 3, status: 401 },
	AUTH_DISABLED: { code: 4, status: 401 },
	RATE_LIMIT: { code: 5, status: 429 },
	NOT_FOUND: { code: 6, status: 404 },
	LIMIT_MIN: { code: 7, status: 400 },
	LIMIT_MAX: { code: 8, status: 400 },
	/** Maintenance is over when the operator says so; what is missing upstream is often back with the next refresh. */
	MAINTENANCE: { code: 10, status: 503, retryAfterSeconds: 60 },
	UPSTREAM_ERROR: { code: 11, status: 503, retryAfterSeconds: 10 },
	EMERGENCY_INVALID_CHOICE: { code: 12, status: 400 },
	LIMIT_EXCEEDED: { code: 13, status: 403 },
	ROTATION_CONFLICT: { code: 14, status: 409 },
	INTERNAL: { code: 99, status: 500 },
} as const satisfies Record<string, { code: number; status: number; retryAfterSeconds?: number }>;

export type RefusalConstant = keyof typeof CONSTANTS;
export type ErrorCode = (typeof CONSTANTS)[RefusalConstant]['code'];
/** The one text that is no constant (decisions.md "Envelope and transport"). */
export type RefusalMessage = 'order not in emergency state';

export interface Refusal {
	readonly refused: RefusalConstant;
	/** For the log only. */
	readonly reason: string;
	/** Where the status differs from the constant's usual one. */
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	/** Where the text differs from the constant. */
	readonly msg?: RefusalMessage;
}

export const refuse = (
	refused: RefusalConstant,
	reason: string,
	more: Pick<Refusal, 'status' | 'headers' | 'msg'> = {},
): Refusal => ({ refused, reason, ...more });

export const isRefusal = (value: unknown): value is Refusal =>
	typeof value === 'object' && value !== null && 'refused' in value;

/** `{ code, msg }` and nothing else; success alone has `data`. */
export function refusalResponse(refusal: Refusal): Response {
	const { code, status, ...usual } = CONSTANTS[refusal.refused];
	return new Response(JSON.stringify({ code, msg: refusal.msg ?? refusal.refused }), {
		status: refusal.status ?? status,
		headers: {
			'content-type': 'application/json',
			'cache-control': 'no-store',
			...('retryAfterSeconds' in usual && { 'retry-after': String(usual.retryAfterSeconds) }),
			...refusal.headers,
		},
	});
}

/** `data` is JSON text already, so that what was serialised once can be served many times. */
export function successResponse(dataJson: string): Response {
	return new Response(`{"code":0,"msg":"","data":${dataJson}}`, {
		headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
	});
}
