/** Times as people say them: "3 min ago". Pure. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long, in the largest unit that fits twice, rounded down: `90 s`, `3 min`, `5 h`, `4 d`. */
export function lengthText(milliseconds: number): string {
	if (milliseconds < 2 * MINUTE) return `${Math.floor(milliseconds / SECOND)} s`;
	if (milliseconds < 2 * HOUR) return `${Math.floor(milliseconds / MINUTE)} min`;
	if (milliseconds < 2 * DAY) return `${Math.floor(milliseconds / HOUR)} h`;
	return `${Math.floor(milliseconds / DAY)} d`;
}

/** A moment as it is seen from `now`, both Unix milliseconds. */
export const relativeText = (at: number, now: number): string =>
	at > now ? `in ${lengthText(at - now)}` : `${lengthText(now - at)} ago`;

/** In UTC, without the milliseconds. */
export const absoluteText = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
