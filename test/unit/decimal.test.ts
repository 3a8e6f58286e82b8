/** Decimals against integer arithmetic on units and a number of decimals. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	type Decimal,
	decimal,
	divideDown,
	divideSignificant,
	divideUp,
	plain,
	roundDown,
	roundUp,
	usdCents,
	usdText,
} from '../../src/money/decimal.ts';

interface Scaled {
	readonly units: bigint;
	readonly decimals: number;
}

const RUNS = { numRuns: 5_000 };
const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent);
const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

function textOf({ units, decimals }: Scaled): string {
	const digits = String(absolute(units)).padStart(decimals + 1, '0');
	const [whole, fraction] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)];
	const trimmed = fraction.replace(/0+$/, '');
	return `${units < 0n ? '-' : ''}${whole}${trimmed && `.${trimmed}`}`;
}

const decimalOf = (value: Scaled): Decimal => decimal(textOf(value));

/** Both values as units of the larger number of decimals. */
function aligned(a: Scaled, b: Scaled): { left: bigint; right: bigint; decimals: number } {
	const decimals = Math.max(a.decimals, b.decimals);
	const at = (value: Scaled) => value.units * powerOfTen(decimals - value.decimals);
	return { left: at(a), right: at(b), decimals };
}

/** An integer quotient, rounded towards zero, or away from zero when `up`. */
function quotient(a: bigint, b: bigint, up: boolean): bigint {
	const towardsZero = a / b;
	const away = a < 0n === b < 0n ? 1n : -1n;
	return up && a % b !== 0n ? towardsZero + away : towardsZero;
}

function rounded({ units, decimals }: Scaled, places: number, up: boolean): Scaled {
	if (decimals <= places) return { units, decimals };
	return { units: quotient(units, powerOfTen(decimals - places), up), decimals: places };
}

function divided(a: Scaled, b: Scaled, places: number, up: boolean): Scaled {
	const { left, right } = aligned(a, b);
	return { units: quotient(left * powerOfTen(places), right, up), decimals: places };
}

const LARGEST = powerOfTen(40);
const scaled = (min: bigint) =>
	fc.record({
		units: fc.oneof(fc.bigInt({ min, max: LARGEST }), fc.bigInt({ min: min < 0n ? -999n : min, max: 999n })),
		decimals: fc.integer({ min: 0, max: 30 }),
	});
const any = scaled(-LARGEST);
const positive = scaled(1n);
const nonZero = any.filter(({ units }) => units !== 0n);
const places = fc.integer({ min: 0, max: 25 });

describe('the arithmetic of decimals is that of integers', () => {
	it('sums, differences and products are exact', () => {
		const check = (a: Scaled, b: Scaled) => {
			const { left, right, decimals } = aligned(a, b);
			expect(plain(decimalOf(a).plus(decimalOf(b)))).toBe(textOf({ units: left + right, decimals }));
			expect(plain(decimalOf(a).minus(decimalOf(b)))).toBe(textOf({ units: left - right, decimals }));
			const product = { units: a.units * b.units, decimals: a.decimals + b.decimals };
			expect(plain(decimalOf(a).times(decimalOf(b)))).toBe(textOf(product));
		};
		fc.assert(fc.property(any, any, check), RUNS);
	});

	it('comparisons are exact', () => {
		const check = (a: Scaled, b: Scaled) => {
			const { left, right } = aligned(a, b);
			const [one, other] = [decimalOf(a), textOf(b)];
			const found = [one.lt(other), one.lte(other), one.eq(other), one.gte(other), one.gt(other)];
			expect(found).toEqual([left < right, left <= right, left === right, left >= right, left > right]);
			expect(one.comparedTo(other)).toBe(left < right ? -1 : left > right ? 1 : 0);
		};
		fc.assert(fc.property(any, any, check), RUNS);
	});

	it('rounding is towards zero or away from zero, as its name says', () => {
		const check = (value: Scaled, to: number) => {
			expect(plain(roundDown(decimalOf(value), to))).toBe(textOf(rounded(value, to, false)));
			expect(plain(roundUp(decimalOf(value), to))).toBe(textOf(rounded(value, to, true)));
		};
		fc.assert(fc.property(any, places, check), RUNS);
	});

	it('so is division', () => {
		const check = (a: Scaled, b: Scaled, to: number) => {
			expect(plain(divideDown(decimalOf(a), decimalOf(b), to))).toBe(textOf(divided(a, b, to, false)));
			expect(plain(divideUp(decimalOf(a), decimalOf(b), to))).toBe(textOf(divided(a, b, to, true)));
		};
		fc.assert(fc.property(any, nonZero, places, check), RUNS);
	});

	it('a quotient to 18 significant digits is the exact one, cut after the 18th', () => {
		const check = (a: Scaled, b: Scaled) => {
			// Far more decimals than the smallest quotient has leading zeros.
			const exact = divided(a, b, 120, false);
			const surplus = Math.max(0, String(exact.units).length - 18);
			const cut = (exact.units / powerOfTen(surplus)) * powerOfTen(surplus);
			expect(plain(divideSignificant(decimalOf(a), decimalOf(b), 18))).toBe(textOf({ units: cut, decimals: 120 }));
		};
		fc.assert(fc.property(positive, positive, check), RUNS);
	});

	it('cents are whole, towards zero, and stop at the largest safe integer', () => {
		const check = (value: Scaled) => {
			const cents = rounded({ units: value.units * 100n, decimals: value.decimals }, 0, false).units;
			const bound = BigInt(Number.MAX_SAFE_INTEGER);
			expect(usdCents(decimalOf(value))).toBe(Number(cents < bound ? cents : bound));
			const text = textOf({ units: cents, decimals: 2 });
			expect(Number(usdText(decimalOf(value)))).toBe(Number(text));
			expect(usdText(decimalOf(value))).toMatch(/^-?\d+\.\d\d$/);
		};
		fc.assert(fc.property(positive, check), RUNS);
	});

	it.each([-120, -30, 30, 120])(
		'1e%i is written without an exponent, also where a template or JSON writes it',
		(power) => {
			const value = decimal(`1e${power}`);
			const text = textOf({ units: powerOfTen(Math.max(0, power)), decimals: Math.max(0, -power) });
			expect([plain(value), `${value}`, JSON.parse(JSON.stringify(value))]).toEqual([text, text, text]);
		},
	);

	it('USD that round to zero have no sign', () => {
		expect(usdText(decimal('-0.009'))).toBe('0.00');
	});

	it('zero has no sign', () => {
		const zeros = [roundDown(decimal('-0.4'), 0), decimal('-0'), decimal('0').times('-1'), roundUp(decimal('-0'), 1)];
		expect(zeros.map((zero) => [plain(zero), usdText(zero)])).toEqual(zeros.map(() => ['0', '0.00']));
	});
});

describe('no float and no text that is not a finite decimal becomes money', () => {
	it('a number does not compile as an operand, and is refused at run time', () => {
		// @ts-expect-error A float.
		expect(() => decimal(0.1)).toThrow(TypeError);
		// @ts-expect-error A float.
		const evaded = () => decimal('1').plus(0.1);
		expect(evaded).toThrow(TypeError);
	});

	it.each(['', '-', '.', ' 1', '1 ', '+1', '0x10', '1_000', '1e', 'NaN', 'Infinity', '-Infinity', '١', '1,5'])(
		'%j is refused, as a value and as an operand',
		(text) => {
			expect(() => decimal(text)).toThrow(TypeError);
			expect(() => decimal('1').plus(text)).toThrow(TypeError);
			expect(() => decimal('1').gt(text)).toThrow(TypeError);
		},
	);

	it('nothing is divided by zero', () => {
		expect(() => divideDown(decimal('1'), decimal('0'), 2)).toThrow(RangeError);
		expect(() => divideUp(decimal('1'), decimal('0.00'), 2)).toThrow(RangeError);
		expect(() => divideSignificant(decimal('1'), decimal('0'), 18)).toThrow(RangeError);
	});
});
