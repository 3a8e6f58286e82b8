/** Times as people say them: "3 min ago". Pure. */
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../platform/time.ts';

const SECOND = 1000;

/** How long, in the largest unit that fits twice, rounded down: `90 s`, `3 min`, `5 h`, `4 d`. */
export function lengthText(milliseconds: number): string {
	if (milliseconds < 2 * MINUTE_MILLISECONDS) return `${Math.floor(milliseconds / SECOND)} s`;
	if (milliseconds < 2 * HOUR_MILLISECONDS) return `${Math.floor(milliseconds / MINUTE_MILLISECONDS)} min`;
	if (milliseconds < 2 * DAY_MILLISECONDS) return `${Math.floor(milliseconds / HOUR_MILLISECONDS)} h`;
	return `${Math.floor(milliseconds / DAY_MILLISECONDS)} d`;
}

/** A moment as it is seen from `now`, both Unix milliseconds. */
export const relativeText = (at: number, now: number): string =>
	at > now ? `in ${lengthText(at - now)}` : `${lengthText(now - at)} ago`;

/** In UTC, without the milliseconds. */
export const absoluteText = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
