/** Every endpoint that answers with the envelope, a valid body for each, and the form of a refusal. */
import { expect } from 'vitest';
import type { Endpoint } from '../../src/ports/endpoint.ts';
import { createBody } from './orders.ts';
import { type Answer, type Credentials, newNonce } from './partner.ts';
import type { TestService } from './service.ts';
import { SURFACE } from './surface.ts';

const NO_ORDER = { id: '7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce', token: 'x'.repeat(43) };

/** A body that passes validation, per path; nothing else about an endpoint is known here. */
const VALID_BODIES: Readonly<Record<string, string>> = {
	'/api/v1/currencies': '{}',
	'/api/v1/pairs': '{}',
	'/api/v1/assets': '{}',
	'/api/v1/price': '{"type":"float","fromCcy":"LTC","toCcy":"ETH","direction":"from","amount":"2"}',
	'/api/v1/limits': '{}',
	'/api/v1/create': JSON.stringify(createBody()),
	'/api/v1/order': JSON.stringify(NO_ORDER),
	'/api/v1/orders': '{}',
	'/api/v1/validate-address': '{"ccy":"LTC","address":"an-address"}',
	'/api/v1/earnings': '{}',
	'/api/v1/webhooks': '{"url":"https://shop.example/hooks","id":"0011223344556677"}',
	'/api/v1/webhooks/change': '{"id":"0011223344556677","enabled":false}',
	'/api/v1/webhooks/test': '{}',
	'/api/v1/webhooks/deliveries': '{}',
	'/api/v1/webhooks/redeliver': '{"id":"none"}',
	'/api/v1/sandbox/keys': '{}',
	'/api/v1/sandbox/deposit': '{"id":"none"}',
	'/api/v1/qr': JSON.stringify(NO_ORDER),
	'/api/v1/emergency': JSON.stringify({ ...NO_ORDER, choice: 'EXCHANGE' }),
	'/api/v1/codes': '{"code":"valid-code"}',
	'/api/v1/codes/enable': '{"code":"valid-code"}',
	'/api/v1/keys': '{"kind":"app","label":"A key","id":"0011223344556677"}',
	'/api/v1/keys/rotate': '{"rotate":["webhookSecret"]}',
};

/** The endpoints that answer with the envelope; documents such as the feeds have tests of their own. */
export const surface = SURFACE.filter((endpoint) => endpoint.auth !== 'none');

export function validBody({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
	if (method === 'GET') return '';
	const body = VALID_BODIES[path];
	if (body === undefined) throw new Error(`test/support/refusals.ts: name a valid body of ${path}`);
	return body;
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Repeats a test that must run within one second when that second ended meanwhile. */
export async function withinOneSecond<T>(run: (second: number) => Promise<T>): Promise<T> {
	for (let tries = 0; tries < 10; tries++) {
		const second = nowSeconds();
		const result = await run(second);
		if (nowSeconds() === second) return result;
	}
	throw new Error('no second was long enough');
}

/** Checks that admission let the call through, whatever the endpoint then answered. */
export const isAdmitted = ({ code }: Answer<unknown>): boolean => ![2, 3, 4, 5].includes(code);

export async function addCode(
	service: TestService,
	partner: Credentials,
	code: string,
	{ afftaxBps = 0, enabled = true } = {},
): Promise<void> {
	await service.sql(
		'INSERT INTO reference_codes (id, partner_id, code, afftax_bps, enabled, created_at) VALUES (?, ?, ?, ?, ?, ?)',
		newNonce(),
		partner.id,
		code,
		afftaxBps,
		enabled ? 1 : 0,
		Date.now(),
	);
	await service.operator('partner/update', { id: partner.id, name: 'A partner' });
}

const PUBLIC = {
	2: { status: 401, msg: 'AUTH_REQUIRED' },
	3: { status: 401, msg: 'AUTH_INVALID' },
	4: { status: 401, msg: 'AUTH_DISABLED' },
	5: { status: 429, msg: 'RATE_LIMIT' },
} as const;

/** Exactly the contract's answer: code, constant and status, and not a word about the cause. */
export function expectRefused(answer: Answer<unknown>, code: keyof typeof PUBLIC): void {
	const { status, msg } = PUBLIC[code];
	expect(answer.text).toBe(JSON.stringify({ code, msg }));
	expect(answer.status).toBe(status);
}

/** Wrong for every endpoint: not an object, and not the empty object of `currencies`. */
export const INVALID_BODY = '[]';
export const PLENTY = 1_000_000;

export const expectAdmitted = (answer: Answer): void => expect(answer.code).toSatisfy(() => isAdmitted(answer));
