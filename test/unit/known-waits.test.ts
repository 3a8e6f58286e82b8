/** What an isolate knows of callers who have to wait (book: contract, "Weight"). */
import { describe, expect, it } from 'vitest';
import { KnownWaits, ScopedWaits } from '../../src/partners/gate/known-waits.ts';
import { NOW } from '../support/rows.ts';

describe('a network that has to wait', () => {
	it('is told the seconds that are left, rounded up, until the last one', () => {
		const waits = new KnownWaits();
		waits.remember('a network', undefined, NOW, 7);
		const told = [0, 1, 5_999, 6_000, 7_000].map((later) => waits.of('a network', undefined, NOW + later));
		expect(told).toEqual([7, 7, 2, null, null]);
		expect(waits.of('another network', undefined, NOW)).toBeNull();
	});

	it('waits for that weight and budget alone', () => {
		const waits = new KnownWaits();
		waits.remember('a network', { weight: 5, perMinute: 10 }, NOW, 7);
		expect(waits.of('a network', { weight: 5, perMinute: 10 }, NOW)).toBe(7);
		expect(waits.of('a network', { weight: 1, perMinute: 10 }, NOW)).toBeNull();
		expect(waits.of('a network', undefined, NOW)).toBeNull();
	});
});

describe('a scoped key that has to wait', () => {
	const refusal = { kind: 'budget-exhausted', retryAfterSeconds: 7, budget: { limit: 100, remaining: 0 } } as const;

	it('hears the gate’s refusal with the seconds that are left, until the last one', () => {
		const waits = new ScopedWaits();
		waits.remember('a key', NOW, refusal);
		expect(waits.of('a key', NOW + 1_000)).toEqual({ ...refusal, retryAfterSeconds: 6 });
		expect(waits.of('a key', NOW + 6_000)).toBeNull();
		expect(waits.of('another key', NOW)).toBeNull();
	});
});
