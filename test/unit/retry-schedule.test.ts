import { describe, expect, test } from 'vitest';
import { cameEarly, MAX_ATTEMPTS, nextAttemptDelay, parseRetryAfter } from '../../src/webhooks/retry-schedule.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const MIDDLE = 0.5;

const GAPS: readonly (readonly [attempt: number, gap: number])[] = [
	[1, 10 * SECOND],
	[2, MINUTE],
	[3, 5 * MINUTE],
	[4, 30 * MINUTE],
	[5, 2 * HOUR],
	[6, 5 * HOUR],
	[7, 10 * HOUR],
	[8, 14 * HOUR],
	[9, 20 * HOUR],
	[10, 24 * HOUR],
];

describe('the retry schedule', () => {
	test.each(GAPS)('after attempt %i the gap is %i ms, a tenth more or less', (attempt, gap) => {
		expect(nextAttemptDelay(attempt, MIDDLE, null)).toBe(gap);
		expect(nextAttemptDelay(attempt, 0, null)).toBe(Math.round(gap * 0.9));
		expect(nextAttemptDelay(attempt, 1, null)).toBe(Math.round(gap * 1.1));
	});

	test('11 attempts in 75 hours, and none after', () => {
		expect(MAX_ATTEMPTS).toBe(11);
		const hours = GAPS.reduce((sum, [, gap]) => sum + gap, 0) / HOUR;
		expect(Math.floor(hours)).toBe(75);
		expect(nextAttemptDelay(11, MIDDLE, null)).toBeNull();
		expect(nextAttemptDelay(12, MIDDLE, 5 * SECOND)).toBeNull();
	});
});

describe('Retry-After', () => {
	test.each([
		['shorter than the gap: the gap', 2, 5 * SECOND, MINUTE],
		['longer than the gap: as asked', 2, 3 * MINUTE, 3 * MINUTE],
		['as long as to the step after: as asked', 2, 6 * MINUTE, 6 * MINUTE],
		['beyond the step after: the step after', 2, 48 * HOUR, 6 * MINUTE],
		['no step follows the last attempt, so the last gap stays', 10, 48 * HOUR, 24 * HOUR],
	])('%s', (_, attempt, retryAfter, delay) => {
		expect(nextAttemptDelay(attempt, MIDDLE, retryAfter)).toBe(delay);
	});

	const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
	test.each([
		['120', 2 * MINUTE],
		['0', 0],
		[' 7 ', 7 * SECOND],
		['Fri, 20 Nov 2026 12:01:00 GMT', MINUTE],
		['Friday, 20-Nov-26 12:01:00 GMT', MINUTE],
		['Fri, 20 Nov 2026 11:00:00 GMT', 0],
		['-5', null],
		['1.5', null],
		['1e3', null],
		['99999999999', null],
		['2026-11-20', null],
		['soon', null],
		['Fri, never', null],
		['', null],
		[null, null],
	])('header %j is %j ms', (header, delay) => {
		expect(parseRetryAfter(header, NOW)).toBe(delay);
	});
});

test('an attempt is early when it did not wait for its gap, less the jitter', () => {
	expect(cameEarly(2, 1_008_999, 1_000_000)).toBe(true);
	expect(cameEarly(2, 1_009_000, 1_000_000)).toBe(false);
	expect(cameEarly(7, 1_000_000 + HOUR, 1_000_000)).toBe(true);
	expect(cameEarly(1, 1_000_000, 0)).toBe(false);
});
