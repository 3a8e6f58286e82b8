/** What every signed endpoint refuses for its nonce and its timestamp: the part of `refusals.ts` that spends nonces. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/ports/endpoint.ts';
import { hmac } from '../cast/signing.ts';
import { type Answer, type Bend, type Credentials, newNonce } from '../support/partner.ts';
import {
	expectAdmitted,
	expectRefused,
	INVALID_BODY,
	isAdmitted,
	nowSeconds,
	PLENTY,
	withinOneSecond,
} from '../support/refusals.ts';

/** An endpoint, and how the suite calls it. */
interface Tried {
	readonly endpoint: Endpoint;
	readonly body: string;
	readonly isInDepth: boolean;
	/** All of them in depth, else the first. */
	readonly some: <T>(values: readonly T[]) => readonly T[];
	readonly partner: () => Credentials;
	readonly send: (by: Credentials, bend?: Bend, raw?: string) => Promise<Answer>;
	readonly update: (by: Credentials, fields: Record<string, unknown>) => Promise<unknown>;
	readonly newPartner: (more?: Record<string, unknown>) => Promise<Credentials>;
}

/** The signing modes in which it may be called. */
export const modesOf = ({ isAddition }: Endpoint): readonly ('timestamp' | 'body-only')[] =>
	isAddition ? ['timestamp'] : ['timestamp', 'body-only'];

export function describeNonceAndTimestamp(tried: Tried): void {
	const { endpoint, body, isInDepth, some, partner, send, update, newPartner } = tried;
	const { method, weight } = endpoint;

	describe('X-API-NONCE', () => {
		if (isInDepth) {
			it('missing, empty, shorter than 16 or longer than 64 → 3, not 2', async () => {
				expectRefused(await send(partner(), { headers: { 'x-api-nonce': null } }), 3);
				expectRefused(await send(partner(), { mode: 'body-only', headers: { 'x-api-nonce': null } }), 3);
				for (const length of [0, 1, 15, 65, 200]) {
					const nonce = 'a'.repeat(length);
					expectRefused(await send(partner(), { nonce }), 3);
					expectRefused(await send(partner(), { nonce, mode: 'body-only' }), 3);
				}
			});
		}

		if (isInDepth) {
			it('of 16 to 64 characters inclusive is accepted: UUID, 16-byte hex, 32-byte hex', async () => {
				const nonces = [
					newNonce().slice(0, 16),
					newNonce(),
					newNonce().replaceAll('-', ''),
					randomBytes(16).toString('hex'),
					randomBytes(32).toString('hex'),
				];
				for (const nonce of nonces) expectAdmitted(await send(partner(), { nonce }));
			});
		}

		it.each(modesOf(endpoint))('reused → 3, in %s mode', async (mode) => {
			const nonce = newNonce();
			// Of its own: one body-only signature of a rotation is carried out once.
			const raw = method === 'GET' ? body : `${body}${' '.repeat(mode.length)}`;
			expectAdmitted(await send(partner(), { nonce, mode }, raw));
			expectRefused(await send(partner(), { nonce, mode }, raw), 3);
			expectRefused(await send(partner(), { nonce, mode: 'timestamp', timestamp: String(nowSeconds() - 10) }), 3);
			expectRefused(await send(partner(), { nonce, mode: 'body-only' }), 3);
		});

		if (isInDepth) {
			it('is admitted once in 20 concurrent calls', async () => {
				const nonce = newNonce();
				const answers = await Promise.all(Array.from({ length: 20 }, () => send(partner(), { nonce })));
				expect(answers.filter(isAdmitted)).toHaveLength(1);
				for (const answer of answers) if (!isAdmitted(answer)) expectRefused(answer, 3);
			});
		}

		if (isInDepth) {
			it('of another partner is not reused', async () => {
				const [nonce, other] = [newNonce(), await newPartner()];
				expectAdmitted(await send(partner(), { nonce }));
				expectAdmitted(await send(other, { nonce }));
			});
		}

		if (method !== 'GET') {
			it('is spent by a call that is refused with 1', async () => {
				const nonce = newNonce();
				expect((await send(partner(), { nonce }, INVALID_BODY)).text).toBe('{"code":1,"msg":"INVALID_REQUEST"}');
				expectRefused(await send(partner(), { nonce }), 3);
			});
		}

		if (isInDepth) {
			it('is spent by a call that is then refused with 4', async () => {
				const [nonce, disabled] = [newNonce(), await newPartner()];
				await update(disabled, { enabled: false });
				expectRefused(await send(disabled, { nonce }), 4);
				await update(disabled, { enabled: true });
				expectRefused(await send(disabled, { nonce }), 3);
				expectAdmitted(await send(disabled));
			});
		}

		if (isInDepth) {
			it('is spent by a call that is then refused with 5', async () => {
				const [nonce, poor] = [newNonce(), await newPartner({ weightPerMinute: weight - 1 })];
				expectRefused(await send(poor, { nonce }), 5);
				await update(poor, { weightPerMinute: PLENTY });
				expectRefused(await send(poor, { nonce }), 3);
				expectAdmitted(await send(poor));
			});
		}

		if (isInDepth) {
			it('is not spent by a call with a bad signature', async () => {
				const nonce = newNonce();
				expectRefused(await send(partner(), { nonce, apiSecret: 'x' }), 3);
				expectRefused(await send(partner(), { nonce, mode: 'body-only', apiSecret: 'x' }), 3);
				expectAdmitted(await send(partner(), { nonce }));
			});
		}
	});

	describe('X-API-TIMESTAMP', () => {
		const accepted: readonly (readonly [string, number])[] = [
			['300 s old', -300],
			['now', 0],
			['60 s ahead', 60],
		];
		it.each(some(accepted))('%s is accepted', async (_, offset) => {
			expectAdmitted(await withinOneSecond((second) => send(partner(), { timestamp: String(second + offset) })));
		});

		const refused: readonly (readonly [string, number])[] = [
			['301 s old', -301],
			['an hour old', -3600],
			['61 s ahead', 61],
			['a day ahead', 86_400],
		];
		it.each(some(refused))('%s → 3', async (_, offset) => {
			expectRefused(await withinOneSecond((second) => send(partner(), { timestamp: String(second + offset) })), 3);
		});

		if (isInDepth) {
			it('sent but malformed or empty → 3; it never falls back to body-only', async () => {
				const now = nowSeconds();
				const malformed = ['', 'now', `${now}.0`, `-${now}`, `+${now}`, `${now}s`, '1e9', `0x${now.toString(16)}`];
				for (const timestamp of [...malformed, String(Date.now()), '9'.repeat(40), `${now},${now}`, '٣']) {
					const header = Buffer.from(timestamp).toString('latin1');
					expectRefused(await send(partner(), { timestamp, headers: { 'x-api-timestamp': header } }), 3);
					const bodyOnly = { 'x-api-sign': hmac(partner().apiSecret, body), 'x-api-timestamp': header };
					expectRefused(await send(partner(), { headers: bodyOnly }), 3);
				}
			});
		}

		if (isInDepth) {
			it('is required of a partner with requireTimestamp: body-only calls are then 3', async () => {
				const strict = await newPartner({ requireTimestamp: true });
				expectRefused(await send(strict, { mode: 'body-only' }), 3);
				expectAdmitted(await send(strict));
				await update(strict, { requireTimestamp: false });
				expectAdmitted(await send(strict, { mode: 'body-only' }));
				await update(strict, { requireTimestamp: true });
				expectRefused(await send(strict, { mode: 'body-only' }), 3);
			});
		}
	});
}
