/**
 * What every signed endpoint refuses, and in which order (book: contract, "Authentication", "Errors", "Signed calls",
 * "Weight"). The same suite runs against every endpoint, also a new one: it only needs a valid body in
 * `test/support/refusals.ts`. All endpoints share one admission, so each odd value is tried on one of each kind only.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { newApiKey } from '../../src/partners/api-key.ts';
import type { Endpoint } from '../../src/ports/endpoint.ts';
import { hmac } from '../cast/signing.ts';
import { type Answer, type Bend, type Credentials, call, createPartner, newNonce, signed } from '../support/partner.ts';
import {
	addCode,
	expectAdmitted,
	expectRefused,
	INVALID_BODY,
	nowSeconds,
	PLENTY,
	surface,
	validBody,
} from '../support/refusals.ts';
import type { TestService } from '../support/service.ts';
import { describeNonceAndTimestamp, modesOf } from './nonce-refusals.ts';

/** One that must be signed, one that may be, and one without a body: with these everything is tried. */
const IN_DEPTH = ['POST /api/v1/create', 'POST /api/v1/price', 'GET /api/v1/codes'];

/** Runs the suite; call it at the top of a test file. */
export function describeRefusals(service: () => TestService): void {
	describe.each(surface.map((endpoint) => ({ title: `${endpoint.method} ${endpoint.path}`, endpoint })))(
		'$title',
		({ endpoint }) => {
			describeEndpoint(service, endpoint);
		},
	);
}

function describeEndpoint(service: () => TestService, endpoint: Endpoint): void {
	const body = validBody(endpoint);
	const { method, path, weight } = endpoint;
	const isInDepth = IN_DEPTH.includes(`${method} ${path}`);
	/** The first of them shows that the endpoint asks at all. */
	const some = <T>(values: readonly T[]): readonly T[] => (isInDepth ? values : values.slice(0, 1));
	let partner: Credentials;

	beforeAll(async () => {
		partner = await createPartner(service(), { weightPerMinute: PLENTY });
	});

	const send = (by: Credentials, bend: Bend = {}, raw = body): Promise<Answer> =>
		signed(service(), by, path, raw, { method, ...bend });
	const update = (by: Credentials, fields: Record<string, unknown>) =>
		service().operator('partner/update', { id: by.id, ...fields });
	const newPartner = (more: Record<string, unknown> = {}) =>
		createPartner(service(), { weightPerMinute: PLENTY, ...more });
	describe('headers', () => {
		it.each(modesOf(endpoint))('a well-signed call in %s mode is admitted', async (mode) => {
			expectAdmitted(await send(partner, { mode }));
		});

		if (endpoint.isAddition) {
			it('in body-only mode → 3, and its nonce is not spent: what the contract does not have takes timestamps alone', async () => {
				const nonce = newNonce();
				expectRefused(await send(partner, { mode: 'body-only', nonce }), 3);
				expectAdmitted(await send(partner, { nonce }));
			});
		}

		if (endpoint.auth === 'required') {
			it('X-API-KEY or X-API-SIGN missing → 2, whatever else is wrong', async () => {
				for (const missing of some([['x-api-sign'], ['x-api-key'], ['x-api-key', 'x-api-sign']])) {
					const without = Object.fromEntries(missing.map((name) => [name, null]));
					expectRefused(await send(partner, { headers: without }), 2);
					const bare = { ...without, 'x-api-nonce': null, 'x-api-timestamp': 'x' };
					expectRefused(await send(partner, { headers: bare }, INVALID_BODY), 2);
				}
			});
		} else {
			it('with neither X-API-KEY nor X-API-SIGN it is anonymous', async () => {
				const answer = await call(service(), path, method === 'GET' ? undefined : body, {
					method,
					headers: { 'cf-connecting-ip': '192.0.2.1' },
				});
				expectAdmitted(answer);
			});

			it('with one of X-API-KEY and X-API-SIGN but not the other → 3', async () => {
				expectRefused(await send(partner, { headers: { 'x-api-key': null } }), 3);
				expectRefused(await send(partner, { headers: { 'x-api-sign': null } }), 3);
			});
		}
	});

	describe('X-API-SIGN', () => {
		const timestampSignature = (nonce: string, timestamp: string, secret = partner.apiSecret) =>
			hmac(secret, `${timestamp}\n${nonce}\n${body}`);
		const withSignature = (signature: (right: string) => string) => {
			const [nonce, timestamp] = [newNonce(), String(nowSeconds())];
			return send(partner, {
				nonce,
				timestamp,
				headers: { 'x-api-sign': signature(timestampSignature(nonce, timestamp)) },
			});
		};

		if (isInDepth) {
			it('is exactly 64 lowercase hex characters', async () => {
				expectAdmitted(await withSignature((right) => right));
				const malformed: ((right: string) => string)[] = [
					(right) => right.toUpperCase(),
					(right) => right.slice(1),
					(right) => right.slice(0, -2),
					(right) => `${right}00`,
					(right) => `0x${right}`,
					(right) => `${right.slice(0, -1)}g`,
					(right) => Buffer.from(right, 'hex').toString('base64'),
					() => 'x',
				];
				for (const bend of malformed) expectRefused(await withSignature(bend), 3);
			});
		}

		it('a bad signature → 3', async () => {
			expectRefused(await withSignature((right) => (right.startsWith('0') ? '1' : '0') + right.slice(1)), 3);
			if (!isInDepth) return;
			expectRefused(await withSignature(() => '0'.repeat(64)), 3);
			expectRefused(await send(partner, { apiSecret: partner.webhookSecret }), 3);
			expectRefused(await send(partner, { apiSecret: 'x'.repeat(43) }), 3);
		});

		if (isInDepth) {
			it('another partner’s secret does not sign for this one', async () => {
				const other = await newPartner();
				expectRefused(await send(partner, { apiSecret: other.apiSecret }), 3);
				expectAdmitted(await send(other));
			});
		}

		if (isInDepth) {
			it('covers timestamp and nonce in timestamp mode', async () => {
				const [nonce, timestamp] = [newNonce(), String(nowSeconds())];
				const signature = timestampSignature(nonce, timestamp);
				const bent: Bend[] = [
					{ nonce: newNonce(), timestamp },
					{ nonce, timestamp: String(Number(timestamp) - 1) },
				];
				for (const bend of bent)
					expectRefused(await send(partner, { ...bend, headers: { 'x-api-sign': signature } }), 3);
				expectAdmitted(await send(partner, { nonce, timestamp, headers: { 'x-api-sign': signature } }));
			});
		}

		if (isInDepth) {
			it('of one mode is not accepted in the other', async () => {
				const timestamp = String(nowSeconds());
				const bodyOnly = hmac(partner.apiSecret, body);
				expectRefused(await send(partner, { timestamp, headers: { 'x-api-sign': bodyOnly } }), 3);
				const nonce = newNonce();
				const signature = timestampSignature(nonce, timestamp);
				expectRefused(await send(partner, { mode: 'body-only', nonce, headers: { 'x-api-sign': signature } }), 3);
			});
		}

		if (method !== 'GET') {
			it('covers exactly the bytes sent on the wire', async () => {
				const pretty = body === '{}' ? '{ }' : JSON.stringify(JSON.parse(body), null, 2);
				const others = [`${body}\n`, ` ${body}`, pretty, '', `${body}\r\n`];
				for (const sentBody of some(others)) {
					for (const mode of ['timestamp', 'body-only'] as const) {
						expectRefused(await send(partner, { mode, sentBody }), 3);
					}
				}
			});
		}
	});

	describeNonceAndTimestamp({ endpoint, body, isInDepth, some, partner: () => partner, send, update, newPartner });

	describe('X-API-KEY', () => {
		it('unknown → 3', async () => {
			const { apiKey } = partner;
			const key = keyRing(service().local.secrets, 'API_KEY_KEY');
			const stranger = await newApiKey(key);
			const flipped = (apiKey.endsWith('A') ? 'B' : 'A') as string;
			const unknown = [
				stranger.apiKey,
				apiKey.slice(0, -1),
				`${apiKey}A`,
				`${apiKey.slice(0, 10)}${apiKey[10] === 'x' ? 'y' : 'x'}${apiKey.slice(11)}`,
				apiKey.slice(0, -1) + flipped,
				apiKey.toLowerCase(),
				apiKey.slice(3),
				partner.id,
				'pk_',
				'x',
				'é',
				'k'.repeat(5000),
			];
			for (const bent of some(unknown).filter((candidate) => candidate !== apiKey)) {
				expectRefused(await send(partner, { apiKey: bent }), 3);
			}
		});

		it('an empty, malformed (a second dot included), unknown or disabled code segment → 3', async () => {
			await addCode(service(), partner, 'good-code');
			await addCode(service(), partner, 'off-code', { enabled: false });
			const segments = ['off-code', '', '.', 'abc', 'a'.repeat(33), 'with space', 'é'.repeat(4), 'no-such-code'];
			const bent = [...segments, 'good-code.', '.good-code', 'good-code.good-code', 'GOOD-CODE', 'good-cod'];
			for (const segment of some(bent)) {
				expectRefused(await send(partner, { apiKey: `${partner.apiKey}.${segment}` }), 3);
			}
			expectAdmitted(await send(partner, { apiKey: `${partner.apiKey}.good-code` }));
		});

		if (isInDepth) {
			it('another partner’s code → 3', async () => {
				const other = await newPartner();
				await addCode(service(), other, 'their-code');
				expectRefused(await send(partner, { apiKey: `${partner.apiKey}.their-code` }), 3);
				expectAdmitted(await send(other, { apiKey: `${other.apiKey}.their-code` }));
			});
		}
	});

	describe('a partner whose enabled is false', () => {
		let disabled: Credentials;
		beforeAll(async () => {
			disabled = await newPartner({ weightPerMinute: 0 });
			await addCode(service(), disabled, 'off-code', { enabled: false });
			await update(disabled, { enabled: false });
		});

		it('→ 4, before budget and body', async () => {
			for (const mode of modesOf(endpoint)) expectRefused(await send(disabled, { mode }), 4);
			if (method !== 'GET') expectRefused(await send(disabled, {}, INVALID_BODY), 4);
		});

		if (isInDepth) {
			it('→ 4 only with a valid signature: every authentication error comes first → 3', async () => {
				const nonce = newNonce();
				expectRefused(await send(disabled, { nonce }), 4);
				expectRefused(await send(disabled, { nonce }), 3);
				expectRefused(await send(disabled, { apiSecret: partner.apiSecret }), 3);
				expectRefused(await send(disabled, { nonce: 'short' }), 3);
				expectRefused(await send(disabled, { timestamp: String(nowSeconds() - 400) }), 3);
				expectRefused(await send(disabled, { timestamp: '' }), 3);
				expectRefused(await send(disabled, { apiKey: `${disabled.apiKey}.off-code` }), 3);
				expectRefused(await send(disabled, { apiKey: `${disabled.apiKey}.no-such-code` }), 3);
			});
		}
	});

	describe('weight', () => {
		it(`is ${weight}: a budget of two and a half calls admits two, then 5 with Retry-After`, async () => {
			const budgeted = await newPartner({ weightPerMinute: 2 * weight + Math.floor(weight / 2) });
			expectAdmitted(await send(budgeted));
			expectAdmitted(await send(budgeted));
			const refused = await send(budgeted);
			expectRefused(refused, 5);
			expect(Number(refused.headers.get('retry-after'))).toSatisfy(
				(s: number) => Number.isInteger(s) && s >= 50 && s <= 60,
			);
		});

		if (isInDepth) {
			it('above the whole budget is always denied, with Retry-After 60', async () => {
				const poor = await newPartner({ weightPerMinute: weight - 1 });
				for (let i = 0; i < 2; i++) {
					const refused = await send(poor);
					expectRefused(refused, 5);
					expect(refused.headers.get('retry-after')).toBe('60');
				}
			});
		}

		if (method !== 'GET') {
			it('is checked before the body', async () => {
				const poor = await newPartner({ weightPerMinute: weight - 1 });
				expectRefused(await send(poor, {}, INVALID_BODY), 5);
			});
		}

		if (isInDepth) {
			it('refused calls add no weight', async () => {
				const budgeted = await newPartner({ weightPerMinute: weight });
				const nonce = newNonce();
				expectRefused(await send(budgeted, { apiSecret: 'x' }), 3);
				expectRefused(await send(budgeted, { nonce, timestamp: String(nowSeconds() - 400) }), 3);
				expectRefused(await send(budgeted, { nonce }), 3);
				expectRefused(await send(budgeted, { apiKey: `${budgeted.apiKey}.no-such-code` }), 3);
				await update(budgeted, { enabled: false });
				expectRefused(await send(budgeted), 4);
				await update(budgeted, { enabled: true });
				expectAdmitted(await send(budgeted));
				expectRefused(await send(budgeted), 5);
			});
		}
	});
}
