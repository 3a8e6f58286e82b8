/** Exact sums of amounts. Pure. */
import { decimal, plain, usdText } from '../../money/decimal.ts';

export const addDecimals = (amounts: readonly string[]): string =>
	plain(amounts.reduce((sum, amount) => sum.plus(decimal(amount)), decimal('0')));

/** With two places. */
export const addUsd = (amounts: readonly string[]): string => usdText(decimal(addDecimals(amounts)));
