/** Numbers as people read them, and exact sums of amounts. Pure. */
import { decimal, plain, usdText } from '../../money/decimal.ts';

/** Every digit, in groups of three before the point: `1 250 000.05`. */
export const grouped = (text: string): string =>
	text.replace(/^-?\d+/, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '\u202F'));

export const addDecimals = (amounts: readonly string[]): string =>
	plain(amounts.reduce((sum, amount) => sum.plus(decimal(amount)), decimal('0')));

/** With two places. */
export const addUsd = (amounts: readonly string[]): string => usdText(decimal(addDecimals(amounts)));
