/** The periods of automatic payouts, all in UTC: days, weeks from Monday, months. Pure. */
import type { AutoPayout } from '../../partners/partner.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';

type Period = Exclude<AutoPayout, 'none'>;

/** Day 0 of Unix time was a Thursday: Monday is three days before it. */
const DAYS_SINCE_MONDAY = 3;

/** The first instant of the period that `at` is in. */
export function periodStart(period: Period, at: number): number {
	const day = Math.floor(at / DAY_MILLISECONDS);
	if (period === 'daily') return day * DAY_MILLISECONDS;
	if (period === 'weekly') return (day - ((day + DAYS_SINCE_MONDAY) % 7)) * DAY_MILLISECONDS;
	const date = new Date(at);
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** The first instant of the next one. */
export function nextPeriodStart(period: Period, at: number): number {
	const start = periodStart(period, at);
	if (period === 'daily') return start + DAY_MILLISECONDS;
	if (period === 'weekly') return start + 7 * DAY_MILLISECONDS;
	const date = new Date(start);
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
