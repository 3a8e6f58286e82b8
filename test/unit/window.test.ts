/** The sliding log of weight, compared with a model that keeps every call (book: contract, "Weight", "Limits"). */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlidingWindow } from '../../src/partners/gate/window.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Admits the call if the budget allows, or returns the seconds to wait. */
function call(window: SlidingWindow, now: number, weight: number, budget: number): number | null {
	const wait = window.retryAfterSeconds(now, weight, budget);
	if (wait === null) window.add(now, weight);
	return wait;
}

describe('a call is admitted when used in the last 60 s + weight ≤ budget', () => {
	it('admits exactly as many calls as the budget holds', () => {
		const window = new SlidingWindow();
		const admitted = Array.from({ length: 200 }, () => call(window, 0, 1, 50)).filter((wait) => wait === null);
		expect(admitted).toHaveLength(50);
	});

	it('counts weight, not calls', () => {
		const window = new SlidingWindow();
		expect(call(window, 0, 50, 101)).toBeNull();
		expect(call(window, 0, 50, 101)).toBeNull();
		expect(call(window, 0, 50, 101)).toBe(60);
		expect(call(window, 0, 1, 101)).toBeNull();
		expect(call(window, 0, 1, 101)).toBe(60);
	});

	it('forgets a call 60 s after it, not sooner', () => {
		const window = new SlidingWindow();
		call(window, 5, 1, 1);
		expect(window.used(MINUTE + 4)).toBe(1);
		expect(window.retryAfterSeconds(MINUTE + 4, 1, 1)).toBe(1);
		expect(window.used(MINUTE + 5)).toBe(0);
		expect(window.retryAfterSeconds(MINUTE + 5, 1, 1)).toBeNull();
	});

	it('slides: a burst at the end of one minute is still counted at the start of the next', () => {
		const window = new SlidingWindow();
		for (let i = 0; i < 10; i++) expect(call(window, 59_900, 1, 10)).toBeNull();
		expect(call(window, 60_100, 1, 10)).toBe(60);
	});

	it('a budget of 0 admits nothing', () => {
		expect(call(new SlidingWindow(), 0, 1, 0)).toBe(60);
	});

	it('a lowered budget also counts what was spent before', () => {
		const window = new SlidingWindow();
		call(window, 0, 10, 10);
		expect(call(window, 1, 1, 5)).toBe(60);
		expect(call(window, MINUTE, 1, 5)).toBeNull();
	});

	it('no weight is lost when the clock steps back', () => {
		const window = new SlidingWindow();
		call(window, 10 * SECOND, 1, 2);
		call(window, 9 * SECOND, 1, 2);
		expect(window.used(10 * SECOND)).toBe(2);
		expect(call(window, 9 * SECOND, 1, 2)).not.toBeNull();
		expect(window.used(MINUTE + 10 * SECOND)).toBe(0);
	});
});

describe('Retry-After is the time until enough weight has left the window, rounded up, at least 1', () => {
	it.each([
		['at once after the call that fills it', 0, 60],
		['a millisecond later', 1, 60],
		['a second later', SECOND, 59],
		['half a second before it is free', MINUTE - 500, 1],
		['a millisecond before it is free', MINUTE - 1, 1],
	])('%s', (_, now, seconds) => {
		const window = new SlidingWindow();
		call(window, 0, 1, 1);
		expect(call(window, now, 1, 1)).toBe(seconds);
	});

	it('waits for as many calls to leave as the weight needs', () => {
		const window = new SlidingWindow();
		for (const at of [0, 10, 20]) call(window, at * SECOND, 10, 30);
		expect(window.retryAfterSeconds(20 * SECOND, 1, 30)).toBe(40);
		expect(window.retryAfterSeconds(20 * SECOND, 11, 30)).toBe(50);
		expect(window.retryAfterSeconds(20 * SECOND, 30, 30)).toBe(60);
	});

	it('is 60 for a weight above the whole budget, which is always denied', () => {
		const window = new SlidingWindow();
		expect(call(window, 0, 50, 49)).toBe(60);
		expect(call(window, 1_000_000, 50, 49)).toBe(60);
	});
});

describe('what is stored', () => {
	it('is the weight of the last 60 s, calls of one millisecond together', () => {
		const window = new SlidingWindow();
		window.add(0, 1);
		window.add(5, 2);
		window.add(5, 3);
		window.add(7, 1);
		window.add(7, 3);
		window.add(9, 0);
		const all = [
			{ at: 0, weight: 1 },
			{ at: 5, weight: 5 },
			{ at: 7, weight: 4 },
		];
		expect(window.entries(7)).toEqual(all);
		expect(window.entries(MINUTE + 4)).toEqual(all.slice(1));
		expect(window.entries(MINUTE + 7)).toEqual([]);
	});

	it('has no time before the newest: a clock that steps back is held there', () => {
		const window = new SlidingWindow();
		for (const at of [10, 20, 15]) window.add(at, 1);
		expect(window.entries(20)).toEqual([
			{ at: 10, weight: 1 },
			{ at: 20, weight: 2 },
		]);
	});
});

describe('any calls at any times', () => {
	const calls = fc.array(
		fc.record({
			/** Milliseconds since the previous call. */
			pause: fc.oneof(fc.nat(50), fc.nat(40_000), fc.constant(MINUTE), fc.constant(MINUTE - 1)),
			weight: fc.constantFrom(1, 1, 5, 50),
		}),
		{ maxLength: 120 },
	);

	it('it admits and counts the same as the model, and admits the same call after Retry-After', () => {
		fc.assert(
			fc.property(calls, fc.integer({ min: 1, max: 120 }), (sequence, budget) => {
				const window = new SlidingWindow();
				const model: { at: number; weight: number }[] = [];
				const used = (at: number) =>
					model.filter((spent) => spent.at > at - MINUTE).reduce((sum, { weight }) => sum + weight, 0);
				let now = 0;
				for (const { pause, weight } of sequence) {
					now += pause;
					expect(window.used(now)).toBe(used(now));
					const wait = call(window, now, weight, budget);
					expect(wait === null).toBe(used(now) + weight <= budget);
					if (wait === null) {
						model.push({ at: now, weight });
						continue;
					}
					expect(Number.isInteger(wait) && wait >= 1 && wait <= 60).toBe(true);
					if (weight > budget) continue;
					expect(used(now + wait * SECOND) + weight).toBeLessThanOrEqual(budget);
					expect(used(now + wait * SECOND - SECOND) + weight).toBeGreaterThan(budget);
				}
			}),
		);
	});

	it('it can be rebuilt from what it stores', () => {
		fc.assert(
			fc.property(calls, (sequence) => {
				const window = new SlidingWindow();
				let now = 0;
				for (const { pause, weight } of sequence) {
					now += pause;
					call(window, now, weight, 100);
				}
				const rebuilt = new SlidingWindow();
				for (const { at, weight } of window.entries(now)) rebuilt.add(at, weight);
				for (const later of [0, 1, SECOND, 30 * SECOND, MINUTE]) {
					expect(rebuilt.used(now + later)).toBe(window.used(now + later));
				}
			}),
		);
	});

	it('stays exact beyond the number of calls at which it compacts', () => {
		const window = new SlidingWindow();
		for (let at = 0; at < 200_000; at += 7) window.add(at, 1);
		const newest = Math.floor(199_999 / 7) * 7;
		expect(window.used(newest)).toBe(Math.ceil(MINUTE / 7));
	});

	it.each([
		['a call in every millisecond', 1],
		['five calls a second', 200],
	])('of %s it remembers only the last minute, and no call takes longer than the first', (_, pause) => {
		setFlagsFromString('--expose-gc');
		const collect: () => void = runInNewContext('gc');
		const window = new SlidingWindow();
		collect();
		const before = process.memoryUsage().heapUsed;
		const end = 400_000 * pause;
		for (let at = 0; at < end; at += pause) {
			if (call(window, at, 1, MINUTE) !== null) throw new Error(`refused at ${at}`);
		}
		collect();
		expect(window.entries(end)).toHaveLength(MINUTE / pause - 1);
		// All entries together are 16 MB and more, those of a minute 5 at most.
		expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
	});
});
