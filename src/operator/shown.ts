/** Times and sums as the operator API writes them: ISO 8601 in UTC, and US dollars with two places. Pure. */
import { decimal, usdText } from '../money/decimal.ts';
import { fromBaseUnits } from '../money/units.ts';

export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

export const isoTimeOrNull = (milliseconds: number | null): string | null =>
	milliseconds === null ? null : isoTime(milliseconds);

export const usdOfCents = (cents: number): string => usdText(decimal(fromBaseUnits(BigInt(cents), 2)));
