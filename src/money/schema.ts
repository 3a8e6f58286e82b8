/** How responses write decimals (book: contract, "Amounts"): plain text, no exponent. */
import * as z from 'zod';

const PLAIN = /^\d+(\.\d+)?$/;

export const decimalText = (description: string) => z.string().regex(PLAIN).meta({ description });

export const decimalTextOrNull = (description: string) => z.string().regex(PLAIN).nullable().meta({ description });
