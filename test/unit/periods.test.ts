/** When automatic payouts come: days, weeks from Monday, months, in UTC. */
import { expect, it } from 'vitest';
import { nextPeriodStart, periodStart } from '../../src/treasury/earnings/periods.ts';

const at = (text: string): number => Date.parse(`${text}Z`);

it.each([
	['daily', '2026-11-22T08:30:00', '2026-11-22T00:00:00', '2026-11-23T00:00:00'],
	['daily', '2026-12-31T23:59:59', '2026-12-31T00:00:00', '2027-01-01T00:00:00'],
	['weekly', '2026-11-22T23:59:59', '2026-11-16T00:00:00', '2026-11-23T00:00:00'],
	['weekly', '2026-11-23T00:00:00', '2026-11-23T00:00:00', '2026-11-30T00:00:00'],
	['weekly', '1970-01-01T00:00:00', '1969-12-29T00:00:00', '1970-01-05T00:00:00'],
	['monthly', '2024-02-29T12:00:00', '2024-02-01T00:00:00', '2024-03-01T00:00:00'],
	['monthly', '2026-12-01T00:00:00', '2026-12-01T00:00:00', '2027-01-01T00:00:00'],
] as const)('%s: %s is in the period from %s, and the next begins at %s', (period, now, start, next) => {
	expect(periodStart(period, at(now))).toBe(at(start));
	expect(nextPeriodStart(period, at(now))).toBe(at(next));
});
