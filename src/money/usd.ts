/** US dollars from whole cents, with two places. Pure. */
import { decimal, usdText } from './decimal.ts';
import { fromBaseUnits } from './units.ts';

export const usdOfCents = (cents: number): string => usdText(decimal(fromBaseUnits(BigInt(cents), 2)));
