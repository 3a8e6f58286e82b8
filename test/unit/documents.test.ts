/** The feeds are answered before the router, so what fails there is met there. */
import { expect, it, vi } from 'vitest';
import { createApp } from '../../src/api/app.ts';
import type { ApiEnv } from '../../src/ports/env.ts';

for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);

/** A service whose storage is gone. */
const env = { AGENTS: { told: async () => ({ variables: {} }) } } as unknown as ApiEnv;
const ctx = { waitUntil: () => undefined } as unknown as ExecutionContext;
const app = createApp(() => {
	throw new Error('no page was asked for');
});

const thrower = (message: string) => () => {
	throw new Error(message);
};

it.each([
	['at once', { get: thrower('no headers') }],
	['later', { value: { get: thrower('no header') } }],
])('a feed that fails %s is answered with code 99 and its id, like every call', async (_, headers) => {
	const request = Object.defineProperty(new Request('http://service/api/rates.xml'), 'headers', headers);
	const response = await app(request, env, ctx);
	expect([response.status, await response.json()]).toEqual([500, { code: 99, msg: 'INTERNAL' }]);
	expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});
