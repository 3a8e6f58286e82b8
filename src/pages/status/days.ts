/** The shares of 90 days of minutes, rounded down, so that nothing is called whole that was not. Pure. */
import { DAY_MILLISECONDS, utcDay } from '../../platform/time.ts';
import { KEPT_DAYS } from '../../status/status.ts';
import { tookText } from '../order/words.ts';
import type { Say } from '../say.ts';

export interface DayCount {
	/** UTC, `2026-11-22`. */
	readonly day: string;
	readonly minutesOk: number;
	readonly minutesBad: number;
}

/** Every day of the page, the oldest first; null for a day on which nothing was counted. */
export function everyDay(
	counts: readonly DayCount[],
	now: number,
): (DayCount | { readonly day: string; readonly minutesOk: null })[] {
	const known = new Map(counts.map((count) => [count.day, count]));
	return Array.from({ length: KEPT_DAYS }, (_, i) => {
		const day = utcDay(now - (KEPT_DAYS - 1 - i) * DAY_MILLISECONDS);
		return known.get(day) ?? { day, minutesOk: null };
	});
}

/** Hundredths of a percent of the counted minutes, rounded down; null where none was counted. */
export function shareBps(counts: readonly DayCount[]): number | null {
	const ok = counts.reduce((sum, { minutesOk }) => sum + minutesOk, 0);
	const all = counts.reduce((sum, { minutesBad }) => sum + minutesBad, ok);
	return all === 0 ? null : Math.floor((ok * 10_000) / all);
}

/** `1 minute`, `3 hours and 5 minutes`. */
export const duration = (say: Say, minutes: number): string => tookText(say, minutes * 60);
