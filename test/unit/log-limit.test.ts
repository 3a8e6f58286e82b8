/** How many lines of the log are written in a minute. */
import { describe, expect, it } from 'vitest';
import { type Line, LineLimit } from '../../src/platform/log-limit.ts';

const MINUTE = 60_000;
const failure = (facts: Record<string, unknown>): Line => ({ event: 'poll_failed', isNews: false, facts });
const news = (kind: string): Line => ({ event: 'refused', isNews: true, facts: { kind } });

describe('the lines of a minute', () => {
	it('have one of identical errors, and the next one says how many were left out', () => {
		const limit = new LineLimit();
		const line = failure({ network: 'Litecoin', error: 'no answer' });
		expect(limit.take(line, 0)).toEqual({ suppressed: 0 });
		expect([limit.take(line, 1), limit.take(line, MINUTE - 1)]).toEqual([null, null]);
		expect(limit.take(line, MINUTE)).toEqual({ suppressed: 2 });
		expect(limit.take(line, MINUTE + 1)).toBe(null);
	});

	it('have each error of another network, another cause or another order', () => {
		const limit = new LineLimit();
		const lines = [{ network: 'Bitcoin' }, { network: 'Dash' }, { network: 'Dash', error: 'other' }, { orderId: '1' }];
		expect(lines.map((facts) => limit.take(failure(facts), 0))).not.toContain(null);
	});

	it('have one error of many calls that failed alike, whatever their request ids', () => {
		const limit = new LineLimit();
		expect(limit.take(failure({ requestId: '1', error: 'D1' }), 0)).toEqual({ suppressed: 0 });
		expect(limit.take(failure({ requestId: '2', error: 'D1' }), 0)).toBe(null);
	});

	it('have at most 600 of one event and kind, and other kinds besides', () => {
		const limit = new LineLimit();
		const written = Array.from({ length: 1_000 }, () => limit.take(news('signature-wrong'), 0)).filter(Boolean);
		expect(written).toHaveLength(600);
		expect(limit.take(news('budget-exhausted'), 0)).toEqual({ suppressed: 0 });
		expect(limit.take(news('signature-wrong'), MINUTE)).toEqual({ suppressed: 400 });
	});

	it('are counted for at most 1 000 sorts, so hostile facts take no memory', () => {
		const limit = new LineLimit();
		for (let i = 0; i < 5_000; i++) limit.take(failure({ kind: `k${i}` }), 0);
		expect(limit.take(failure({ kind: 'k4999' }), 1)).toBe(null);
		expect(limit.take(failure({ kind: 'k0' }), 1)).toEqual({ suppressed: 0 });
	});
});
