/** Times and sums as the operator API writes them: ISO 8601 in UTC, and US dollars with two places. Pure. */

export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

export const isoTimeOrNull = (milliseconds: number | null): string | null =>
	milliseconds === null ? null : isoTime(milliseconds);

export { usdOfCents } from '../money/usd.ts';
