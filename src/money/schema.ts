/** How responses write decimals (book: contract, "Amounts"): plain text, no exponent. */
import * as z from 'zod/mini';

const PLAIN = /^\d+(\.\d+)?$/;

export const decimalText = (description: string) => z.string().check(z.regex(PLAIN), z.describe(description));

export const decimalTextOrNull = (description: string) =>
	z.nullable(z.string().check(z.regex(PLAIN))).check(z.describe(description));
