/**
 * Exact decimals with spoken rounding, on big.js. `Big.strict` refuses floats: a JavaScript number never becomes money.
 * Pure.
 */
import Big from 'big.js';

/** A constructor of our own, so that nobody else's settings of `Big` can change how money rounds. */
const Exact = Big();
Exact.strict = true;

export type Decimal = Big;

export const decimal = (text: string): Decimal => new Exact(text);
export const ZERO = decimal('0');

const DOWN = 0;
const UP = 3;

/** Towards zero at `places` decimals. */
export const roundDown = (value: Decimal, places: number): Decimal => value.round(places, DOWN);
/** Away from zero at `places` decimals. */
export const roundUp = (value: Decimal, places: number): Decimal => value.round(places, UP);
/** Towards zero at `digits` significant digits. */
const significantDown = (value: Decimal, digits: number): Decimal => value.prec(digits, DOWN);

const Down = Big();
Down.strict = true;
Down.RM = DOWN;
const Up = Big();
Up.strict = true;
Up.RM = UP;

/** a ÷ b towards zero at `places` decimals: the payer of the quotient gains the remainder. */
export function divideDown(a: Decimal, b: Decimal, places: number): Decimal {
	Down.DP = places;
	return new Exact(new Down(a.toFixed()).div(b.toFixed()).toFixed());
}

/** a ÷ b away from zero at `places` decimals: the receiver of the quotient gains the remainder. */
export function divideUp(a: Decimal, b: Decimal, places: number): Decimal {
	Up.DP = places;
	return new Exact(new Up(a.toFixed()).div(b.toFixed()).toFixed());
}

/** a ÷ b to `digits` significant digits, towards zero. Both positive. */
export function divideSignificant(a: Decimal, b: Decimal, digits: number): Decimal {
	// The quotient's first digit stands at 10^(a.e - b.e) or one below, so this many places always hold `digits` of them.
	return significantDown(divideDown(a, b, Math.max(0, digits + 1 - (a.e - b.e))), digits);
}

/** Plain text: no exponent, no trailing zeros, no trailing dot (decisions.md "Amounts"). */
export const plain = (value: Decimal): string => value.toFixed();

/** Two places, towards zero: how USD values are shown. */
export const usdText = (value: Decimal): string => roundDown(value, 2).toFixed(2);

/**
 * Whole cents, towards zero; of what is worth more than 2^53 - 1 of them, that many. No coins are worth ninety trillion
 * dollars, but a node that lies may say so, and what it says must stop at a bound, not stop the service.
 */
export function usdCents(value: Decimal): number {
	const cents = Number(roundDown(value.times('100'), 0).toFixed(0));
	return Math.min(cents, Number.MAX_SAFE_INTEGER);
}
