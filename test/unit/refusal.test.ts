/** Every kind of refusal: its answer to the caller, and its line in the log. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { currencies } from '../../src/catalog/endpoints/currencies.ts';
import { pairs } from '../../src/catalog/endpoints/pairs.ts';
import { isRefusal, logRefusal, refusalResponse } from '../../src/http/refusal.ts';
import { CONSTANTS, REFUSALS, type Refusal, type RefusalConstant, type RefusalKind } from '../../src/http/refusals.ts';
import type { Call } from '../../src/ports/endpoint.ts';

/** The contract's table of errors. */
const TABLE: Readonly<Record<RefusalConstant, readonly [code: number, status: number]>> = {
	INVALID_REQUEST: [1, 400],
	AUTH_REQUIRED: [2, 401],
	AUTH_INVALID: [3, 401],
	AUTH_DISABLED: [4, 401],
	RATE_LIMIT: [5, 429],
	NOT_FOUND: [6, 404],
	LIMIT_MIN: [7, 400],
	LIMIT_MAX: [8, 400],
	MAINTENANCE: [10, 503],
	UPSTREAM_ERROR: [11, 503],
	EMERGENCY_INVALID_CHOICE: [12, 400],
	LIMIT_EXCEEDED: [13, 403],
	ROTATION_CONFLICT: [14, 409],
	INTERNAL: [99, 500],
};

type Facts<Kind extends RefusalKind> = Omit<Extract<Refusal, { kind: Kind }>, 'kind'>;

interface Expected {
	readonly answer: RefusalConstant;
	/** The HTTP status, when it differs from the constant's. */
	readonly status?: number;
	readonly msg?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly alert?: true;
}

const SECRET = 'a cause that no caller is told';
const INVALID = { answer: 'INVALID_REQUEST' } as const;
const UNAUTHENTIC = { answer: 'AUTH_INVALID' } as const;
const MISSING = { answer: 'NOT_FOUND' } as const;
const UPSTREAM = { answer: 'UPSTREAM_ERROR', headers: { 'retry-after': '10' }, alert: true } as const;
const PAIR = { from: SECRET, to: SECRET };
const LIMITS = { fromMin: '1', fromMax: '4', toMin: '0.1', toMax: '0.4' };
const BOUND = { asset: 'LTC', bound: SECRET, limits: LIMITS };
const SHOWN_LIMITS = {
	'x-limit-from-min': '1',
	'x-limit-from-max': '4',
	'x-limit-to-min': '0.1',
	'x-limit-to-max': '0.4',
};
const FIELD = { field: 'toAddress' } as const;

/** A kind that is missing here does not compile. */
const EXPECTED: {
	readonly [Kind in RefusalKind]: readonly [Facts<Kind>, Expected];
} = {
	'unknown-path': [{}, MISSING],
	'wrong-method': [{ allow: 'GET' }, { ...INVALID, status: 405, headers: { allow: 'GET' } }],
	'body-too-large': [{}, { ...INVALID, status: 413 }],
	'body-broken-off': [{ error: SECRET }, INVALID],
	'body-not-empty': [{}, INVALID],
	'body-invalid': [{ issue: SECRET }, INVALID],
	'configuration-wrong': [{ problem: SECRET }, UPSTREAM],
	unexpected: [{}, { answer: 'INTERNAL', alert: true }],
	'auth-header-missing': [{}, { answer: 'AUTH_REQUIRED' }],
	'one-auth-header': [{}, UNAUTHENTIC],
	'signature-malformed': [{}, UNAUTHENTIC],
	'nonce-malformed': [{}, UNAUTHENTIC],
	'timestamp-malformed': [{}, UNAUTHENTIC],
	'code-malformed': [{}, UNAUTHENTIC],
	'api-key-unknown': [{}, UNAUTHENTIC],
	'partner-unknown': [{}, UNAUTHENTIC],
	'signature-wrong': [{}, UNAUTHENTIC],
	'signature-wrong-in-flood': [{}, UNAUTHENTIC],
	'secret-replaced': [{}, UNAUTHENTIC],
	'nonce-replayed': [{}, UNAUTHENTIC],
	'timestamp-required': [{}, UNAUTHENTIC],
	'timestamp-out-of-range': [{}, UNAUTHENTIC],
	'code-refused': [{}, UNAUTHENTIC],
	'key-refused': [{}, UNAUTHENTIC],
	'key-expired': [{}, UNAUTHENTIC],
	'key-address': [{}, UNAUTHENTIC],
	'key-not-permitted': [{}, { answer: 'AUTH_DISABLED' }],
	'partner-disabled': [{}, { answer: 'AUTH_DISABLED' }],
	'budget-exhausted': [
		{ retryAfterSeconds: 7, budget: { limit: 100, remaining: 3 } },
		{ answer: 'RATE_LIMIT', headers: { 'retry-after': '7', 'x-budget-limit': '100', 'x-budget-remaining': '3' } },
	],
	'anonymous-budget-exhausted': [{ retryAfterSeconds: 8 }, { answer: 'RATE_LIMIT', headers: { 'retry-after': '8' } }],
	'unknown-asset': [{ field: 'fromCcy' }, INVALID],
	'amount-invalid': [{}, INVALID],
	'pair-inactive': [PAIR, INVALID],
	'no-market': [{}, UPSTREAM],
	'no-price': [PAIR, UPSTREAM],
	'idempotency-key-malformed': [{}, INVALID],
	'reference-missing': [{}, INVALID],
	'idempotency-key-reused': [{}, { ...INVALID, status: 409 }],
	'idempotency-key-taken': [{}, INVALID],
	'replayed-order-deleted': [{}, MISSING],
	'same-asset': [{}, INVALID],
	'address-invalid': [FIELD, INVALID],
	'address-hot-wallet': [FIELD, INVALID],
	'address-unusable': [FIELD, INVALID],
	'address-pay-in': [{}, INVALID],
	maintenance: [{}, { answer: 'MAINTENANCE', headers: { 'retry-after': '60' } }],
	'amount-below-minimum': [BOUND, { answer: 'LIMIT_MIN', headers: SHOWN_LIMITS }],
	'amount-above-maximum': [BOUND, { answer: 'LIMIT_MAX', headers: SHOWN_LIMITS }],
	'floor-two-ways': [{}, INVALID],
	'floor-above-quote': [
		{ asset: SECRET, floor: SECRET, toAmount: '0.06' },
		{ ...INVALID, headers: { 'x-quote-to-amount': '0.06' } },
	],
	'payout-not-positive': [{}, { answer: 'LIMIT_MIN' }],
	'daily-cap': [{}, { answer: 'LIMIT_MAX', alert: true }],
	'unpaid-share': [{}, { answer: 'LIMIT_MAX' }],
	'no-pay-in-address': [{ network: SECRET }, UPSTREAM],
	'order-unknown': [{}, MISSING],
	'cursor-invalid': [{}, INVALID],
	'choice-invalid': [{}, { answer: 'EMERGENCY_INVALID_CHOICE' }],
	'order-not-in-emergency': [{ status: SECRET }, { ...INVALID, msg: 'order not in emergency state' }],
	'sandbox-full': [{ retryAfterSeconds: 9 }, { answer: 'RATE_LIMIT', headers: { 'retry-after': '9' } }],
	'visit-used-up': [{ retryAfterSeconds: 9 }, { answer: 'RATE_LIMIT', headers: { 'retry-after': '9' } }],
	'sandbox-event-refused': [{ problem: SECRET }, INVALID],
	'asked-rate-limit': [{ retryAfterSeconds: 9 }, { answer: 'RATE_LIMIT', headers: { 'retry-after': '9' } }],
	'asked-maintenance': [{}, { answer: 'MAINTENANCE', headers: { 'retry-after': '60' } }],
	'asked-upstream-error': [{}, { answer: 'UPSTREAM_ERROR', headers: { 'retry-after': '10' } }],
	'asked-internal': [{}, { answer: 'INTERNAL' }],
	'code-taken': [{}, INVALID],
	'code-limit': [{}, { answer: 'LIMIT_EXCEEDED' }],
	'code-unknown': [{}, MISSING],
	'key-limit': [{}, { answer: 'LIMIT_EXCEEDED' }],
	'key-unknown': [{}, MISSING],
	'gate-not-told': [{}, { answer: 'INTERNAL', alert: true }],
	'endpoint-limit': [{}, { answer: 'LIMIT_EXCEEDED' }],
	'endpoint-unknown': [{}, MISSING],
	'event-unknown': [{}, MISSING],
	'no-webhook-endpoint': [{}, MISSING],
	'rotation-conflict': [{}, { answer: 'ROTATION_CONFLICT' }],
	'rotation-replayed': [{}, UNAUTHENTIC],
	'operator-api-off': [{}, MISSING],
	'operator-token-wrong': [{}, UNAUTHENTIC],
	'operator-token-guessed': [{ retryAfterSeconds: 7 }, { answer: 'RATE_LIMIT', headers: { 'retry-after': '7' } }],
};

const CASES = Object.entries(EXPECTED).map(([kind, [facts, expected]]) => ({
	kind,
	refusal: { kind, ...facts } as Refusal,
	expected: expected as Expected,
}));

/** Headers of every answer. */
const SHARED_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

afterEach(() => vi.restoreAllMocks());

describe('every kind of refusal', () => {
	it('is in this table', () => {
		expect(Object.keys(EXPECTED).toSorted()).toEqual(Object.keys(REFUSALS).toSorted());
	});

	it.each(CASES)('$kind answers its code, text, status and headers, and nothing else', async (each) => {
		const { refusal, expected } = each;
		const [code, status] = TABLE[expected.answer];
		const response = refusalResponse(refusal);
		expect(await response.text()).toBe(JSON.stringify({ code, msg: expected.msg ?? expected.answer }));
		expect(response.status).toBe(expected.status ?? status);
		expect(Object.fromEntries(response.headers)).toEqual({ ...SHARED_HEADERS, ...expected.headers });
	});

	it.each(CASES)('$kind is a line in the log, with its kind, a reason, and whether it alerts', (each) => {
		const written = vi.spyOn(console, 'log').mockImplementation(() => undefined);
		logRefusal(each.refusal, { requestId: 'r1', path: '/p' });
		const line = JSON.parse(String(written.mock.calls[0]?.[0]));
		const { answer, alert } = each.expected;
		const said = { event: 'refused', level: 'info', requestId: 'r1', path: '/p', refused: answer, kind: each.kind };
		expect(line).toEqual({ ...said, reason: expect.stringMatching(/\w/), ...(alert && { alert }) });
	});

	it.each(CASES)('$kind is recognised as a refusal, and other errors are not', ({ refusal }) => {
		expect(isRefusal(refusal)).toBe(true);
		expect(isRefusal({ ...refusal, kind: 'toString' })).toBe(false);
	});
});

describe('the constants', () => {
	it('are those of the contract, each in use, and none is the reserved code 9', () => {
		const codes = Object.entries(CONSTANTS).map(([name, { code, status }]) => [name, [code, status]]);
		expect(Object.fromEntries(codes)).toEqual(TABLE);
		expect(new Set(CASES.map(({ expected }) => expected.answer))).toEqual(new Set(Object.keys(TABLE)));
	});
});

describe('without a market snapshot', () => {
	it.each([
		['currencies', currencies],
		['pairs', pairs],
	])('%s is refused', async (_, list) => {
		const call = { body: new TextEncoder().encode('{}'), market: async () => null } as unknown as Call;
		expect(await list.answer(call)).toEqual({ kind: 'no-market' });
	});
});
