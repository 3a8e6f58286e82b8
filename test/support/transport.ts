/** Calls of a test file about envelope and transport: anonymous ones, and those of one partner. */
import { expect } from 'vitest';
import { type Answer, call, partnerForFile, signed } from './partner.ts';
import type { TestService } from './service.ts';

export const MAX_BODY_BYTES = 16 * 1024;
export const PRICE = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' };

/** Call it at the top of a test file. */
export function callsForFile(service: { current: () => TestService }) {
	const partner = partnerForFile(service);

	/** Each anonymous call comes from its own network, so that no limit is reached. */
	let networks = 0;
	const anonymous = (path: string, body?: unknown, init: Parameters<typeof call>[3] = {}): Promise<Answer> => {
		networks++;
		const headers = { 'cf-connecting-ip': `198.${networks >> 8}.${networks & 255}.1`, ...init.headers };
		return call(service.current(), path, body, { ...init, headers });
	};

	const sign = (path: string, body: unknown): Promise<Answer> => signed(service.current(), partner(), path, body);

	return { partner, anonymous, sign };
}

export function expectFailure(answer: Answer, status: number, code: number, msg: string): void {
	expect(answer.text).toBe(JSON.stringify({ code, msg }));
	expect(answer.status).toBe(status);
	expect(answer.headers.get('content-type')).toContain('application/json');
}
