/** A point in time as operators type it: a date, a time in UTC, or how long ago. Pure. */
import * as z from 'zod/mini';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../platform/time.ts';

const MILLISECONDS = { m: MINUTE_MILLISECONDS, h: HOUR_MILLISECONDS, d: DAY_MILLISECONDS } as const;
const AGE = /^(\d{1,6})([mhd])$/;
const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/;
const RULE = 'must be a date or time in UTC as 2026-11-20 or 2026-11-20T08:30Z, or an age as 90m, 12h, 7d';

/** An option's help about its value. */
export const MOMENT_HELP = 'a date or time as 2026-11-20 or 2026-11-20T08:30Z, or an age as 90m, 12h, 7d';

/** Unix milliseconds; null for text that is neither a time nor an age. */
export function momentOf(text: string, now: number): number | null {
	const [, count, unit] = AGE.exec(text) ?? [];
	if (count && unit) return now - Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
	const at = DATE.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(at) ? null : at;
}

/** The input's field. What a relative age means is known when the command runs. */
export const moment = z.string().check(
	z.maxLength(100),
	z.refine((text) => momentOf(text, 0) !== null, RULE),
);
