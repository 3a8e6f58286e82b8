/** The table of errors (spec "Errors"), and code 11 of the two lists. */
import { describe, expect, it } from 'vitest';
import { currencies, pairs } from '../../src/catalog/routes.ts';
import type { Call } from '../../src/endpoint.ts';
import { type RefusalConstant, refusalResponse, refuse } from '../../src/http/refusal.ts';

const TABLE: readonly [number, RefusalConstant, number][] = [
	[1, 'INVALID_REQUEST', 400],
	[2, 'AUTH_REQUIRED', 401],
	[3, 'AUTH_INVALID', 401],
	[4, 'AUTH_DISABLED', 401],
	[5, 'RATE_LIMIT', 429],
	[6, 'NOT_FOUND', 404],
	[7, 'LIMIT_MIN', 400],
	[8, 'LIMIT_MAX', 400],
	[10, 'MAINTENANCE', 503],
	[11, 'UPSTREAM_ERROR', 503],
	[12, 'EMERGENCY_INVALID_CHOICE', 400],
	[13, 'LIMIT_EXCEEDED', 403],
	[14, 'ROTATION_CONFLICT', 409],
	[99, 'INTERNAL', 500],
];

describe('every failure has the shape { code, msg }', () => {
	it.each(TABLE)('code %i is %s with HTTP %i, and the reason stays inside', async (code, msg, status) => {
		const response = refusalResponse(refuse(msg, 'a cause that nobody is told'));
		expect([response.status, await response.text()]).toEqual([status, JSON.stringify({ code, msg })]);
	});

	it('code 9 is reserved: no refusal can be made of it', () => {
		expect(() => refusalResponse(refuse('RESERVE_EXCEEDED' as RefusalConstant, 'none'))).toThrow(TypeError);
	});
});

describe('without a market snapshot', () => {
	it.each([
		['currencies', currencies],
		['pairs', pairs],
	])('%s is 11 UPSTREAM_ERROR', async (_, list) => {
		const call = { body: new TextEncoder().encode('{}'), market: async () => null } as unknown as Call;
		expect(await list(call)).toMatchObject({ refused: 'UPSTREAM_ERROR' });
	});
});
