/** Spans of time, and days as UTC counts them. A moment is in Unix milliseconds. Pure. */

export const MINUTE_MILLISECONDS = 60_000;
export const HOUR_MILLISECONDS = 60 * MINUTE_MILLISECONDS;
export const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;
export const DAY_SECONDS = DAY_MILLISECONDS / 1_000;

/** ISO 8601 in UTC. */
export const isoTime = (at: number): string => new Date(at).toISOString();

export const isoTimeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at));

/** `2026-11-22`. */
export const utcDay = (at: number): string => isoTime(at).slice(0, '2026-11-22'.length);
