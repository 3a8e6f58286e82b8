/** Exact decimals. Each function that rounds names its direction. The arithmetic is bignumber.js. Pure. */
import { BigNumber } from 'bignumber.js';

/** The operands: decimal text or a decimal. A JavaScript number is a float, so it never becomes money. */
type Operand = string | Decimal;

/**
 * An exact, finite number. It hides bignumber.js, which would also take floats, NaN and infinity, divide by zero and
 * write exponents. Every operation throws TypeError on an operand that is not a decimal.
 */
class Decimal {
	/** Read in this file alone. */
	readonly exact: BigNumber;

	constructor(exact: BigNumber) {
		this.exact = exact;
	}

	plus(other: Operand): Decimal {
		return new Decimal(this.exact.plus(exactOf(other)));
	}

	minus(other: Operand): Decimal {
		return new Decimal(this.exact.minus(exactOf(other)));
	}

	times(other: Operand): Decimal {
		return new Decimal(this.exact.times(exactOf(other)));
	}

	/** 1, 0 or -1: this one is larger, equal or smaller. */
	comparedTo(other: Operand): number {
		return Number(this.exact.comparedTo(exactOf(other)));
	}

	eq(other: Operand): boolean {
		return this.comparedTo(other) === 0;
	}

	gt(other: Operand): boolean {
		return this.comparedTo(other) > 0;
	}

	gte(other: Operand): boolean {
		return this.comparedTo(other) >= 0;
	}

	lt(other: Operand): boolean {
		return this.comparedTo(other) < 0;
	}

	lte(other: Operand): boolean {
		return this.comparedTo(other) <= 0;
	}

	/** The power of ten of the first digit: 2 of 123, -1 of 0.5, 0 of 0. */
	get exponent(): number {
		return Number(this.exact.e);
	}

	/** Plain text: no exponent, no trailing zeros, no trailing point. */
	toString(): string {
		return this.exact.toFixed();
	}

	toJSON(): string {
		return this.toString();
	}
}

export type { Decimal };

const NUMERAL = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function exactOf(operand: Operand): BigNumber {
	if (operand instanceof Decimal) return operand.exact;
	if (typeof operand !== 'string' || !NUMERAL.test(operand)) throw new TypeError(`not a decimal: ${operand}`);
	return new BigNumber(operand);
}

/**
 * @param text digits with an optional sign, point and exponent.
 * @throws TypeError on anything else: NaN, infinity, other bases, blanks.
 */
export const decimal = (text: string): Decimal => new Decimal(exactOf(text));

export const ZERO = decimal('0');

/** Towards zero at `places` decimals. */
export const roundDown = ({ exact }: Decimal, places: number): Decimal =>
	new Decimal(exact.decimalPlaces(places, BigNumber.ROUND_DOWN));
/** Away from zero at `places` decimals. */
export const roundUp = ({ exact }: Decimal, places: number): Decimal =>
	new Decimal(exact.decimalPlaces(places, BigNumber.ROUND_UP));
/** Towards zero at `digits` significant digits. */
export const significantDown = ({ exact }: Decimal, digits: number): Decimal =>
	new Decimal(exact.precision(digits, BigNumber.ROUND_DOWN));

/** a ÷ b towards zero at `places` decimals: the payer of the quotient gains the remainder. @throws RangeError if b is 0. */
export function divideDown(a: Decimal, b: Decimal, places: number): Decimal {
	if (b.exact.isZero()) throw new RangeError('division by zero');
	return new Decimal(a.exact.shiftedBy(places).dividedToIntegerBy(b.exact).shiftedBy(-places));
}

/** a ÷ b away from zero at `places` decimals: its receiver gains the remainder. @throws RangeError if b is 0. */
export function divideUp(a: Decimal, b: Decimal, places: number): Decimal {
	const down = divideDown(a, b, places);
	if (down.times(b).eq(a)) return down;
	const sign = a.exact.isNegative() === b.exact.isNegative() ? '' : '-';
	return down.plus(`${sign}1e-${places}`);
}

/** a ÷ b to `digits` significant digits, towards zero. Both positive. @throws RangeError if b is 0. */
export function divideSignificant(a: Decimal, b: Decimal, digits: number): Decimal {
	// The quotient's first digit is at 10^(a.exponent - b.exponent) or one place below: so many places hold all digits.
	const places = Math.max(0, digits + 1 - (a.exponent - b.exponent));
	return significantDown(divideDown(a, b, places), digits);
}

/** Plain text: no exponent, no trailing zeros, no trailing point. */
export const plain = (value: Decimal): string => value.toString();

/** Two places, towards zero: how USD values are shown. */
export const usdText = (value: Decimal): string => roundDown(value, 2).exact.toFixed(2);

/**
 * Whole cents, towards zero, at most 2^53 - 1. No deposit is worth ninety trillion dollars, but a node that lies may
 * report one: the value then stops at this bound instead of failing.
 */
export function usdCents(value: Decimal): number {
	const cents = Number(plain(roundDown(value.times('100'), 0)));
	return Math.min(cents, Number.MAX_SAFE_INTEGER);
}
