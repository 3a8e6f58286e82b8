/** Amounts as callers write them (book: contract, "Amounts"). Pure. */
import { type Decimal, decimal, plain } from './decimal.ts';

const AMOUNT = /^\d{1,30}(\.\d{1,18})?$/;
/** `1e-7` is how JavaScript writes a small number; more than two digits of exponent is nobody's amount. */
const JSON_NUMBER = /^-?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,2})?$/;

export interface Amount {
	/** The caller's own text; a number's decimal text. Echoed as it is. */
	readonly text: string;
	readonly value: Decimal;
}

/** Null for anything but a positive decimal of at most `precision` places. */
export function parseAmount(text: string, precision: number): Amount | null {
	if (!AMOUNT.test(text)) return null;
	const decimals = text.split('.')[1]?.length ?? 0;
	const value = decimal(text);
	return decimals <= precision && value.gt('0') ? { text, value } : null;
}

/** The plain decimal text of a JSON number's source; the source itself where it has no exponent. */
export function numberText(source: string): string | null {
	if (!JSON_NUMBER.test(source)) return null;
	return /e/i.test(source) ? plain(decimal(source)) : source;
}
