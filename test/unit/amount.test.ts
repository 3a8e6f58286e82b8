/** Amounts in requests and in responses (book: contract, "Amounts"). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberText, parseJson } from '../../src/http/body.ts';
import { numberText, parseAmount } from '../../src/money/amount.ts';
import { decimal, divideDown, divideSignificant, divideUp, plain, usdText } from '../../src/money/decimal.ts';
import { fromBaseUnits, toBaseUnits } from '../../src/money/units.ts';

describe('text amounts match ^\\d{1,30}(\\.\\d{1,18})?$ and are positive, with no more decimals than the precision', () => {
	it.each([
		['1', 8],
		['0.00000001', 8],
		['1.00000000', 8],
		['0001', 8],
		['2.50', 8],
		['9'.repeat(30), 8],
		['0.000000000000000001', 18],
		[`${'9'.repeat(30)}.${'9'.repeat(18)}`, 18],
	])('%s at %i decimals is accepted, and its text is kept', (text, precision) => {
		const amount = parseAmount(text, precision);
		expect(amount?.text).toBe(text);
		expect(amount?.value.eq(text)).toBe(true);
	});

	it.each([
		['zero', '0', 8],
		['zero with decimals', '0.00', 8],
		['negative', '-1', 8],
		['with a plus', '+1', 8],
		['empty', '', 8],
		['a blank in front', ' 1', 8],
		['a line feed behind', '1\n', 8],
		['no digit before the dot', '.5', 8],
		['no digit after the dot', '1.', 8],
		['two dots', '1.2.3', 8],
		['a comma', '1,5', 8],
		['an exponent', '1e3', 8],
		['hexadecimal', '0x10', 8],
		['other digits', '١', 8],
		['full-width digits', '\uff11', 8],
		['NaN', 'NaN', 8],
		['Infinity', 'Infinity', 8],
		['31 digits', '1'.repeat(31), 8],
		['19 decimals', '0.1234567890123456789', 19],
		['more decimals than the precision', '0.000000001', 8],
		['more decimals than the precision, though they are zeros', '1.000000000', 8],
		['a decimal where there are none', '1.0', 0],
	])('%s is refused', (_, text, precision) => {
		expect(parseAmount(text, precision)).toBeNull();
	});
});

describe('JSON numbers are read by their exact decimal text', () => {
	it.each([
		['1', '1'],
		['2.50', '2.50'],
		['0.1', '0.1'],
		['1e-7', '0.0000001'],
		['1E-7', '0.0000001'],
		['1.5e+3', '1500'],
		['12e0', '12'],
		['1e99', `1${'0'.repeat(99)}`],
		['0.1234567890123456789', '0.1234567890123456789'],
		['9007199254740993', '9007199254740993'],
		['123456789012345678901234567890', '123456789012345678901234567890'],
		['-1', '-1'],
	])('%s is %s', (source, text) => {
		expect(numberText(source)).toBe(text);
	});

	it.each(['1e100', '1e-100', '1e999999999', '1e-999999999', '9'.repeat(41)])('%s is not an amount', (source) => {
		expect(numberText(source)).toBeNull();
	});

	it.each(['1e-7', '0.1', '9007199254740993', '123456789012345678901234567890.5', '1E2', '-0'])(
		'%s keeps its text from the body and never becomes a float',
		(source) => {
			const parsed = parseJson(new TextEncoder().encode(`{"amount":${source}}`)) as { amount: NumberText };
			expect(parsed.amount).toBeInstanceOf(NumberText);
			expect(parsed.amount.text).toBe(source);
		},
	);

	it.each([
		'{"amount":0.10}',
		'{ "amount" :\t\r\n 0.10 }',
		'{"\\u0061mount":0.10}',
		'{"a":"x","amount":"1","amount":0.10}',
		'{"note":"\\"amount\\":","amount":0.10}',
	])('%s keeps it, however the name and what is around it are written', (body) => {
		expect(parseJson(new TextEncoder().encode(body))).toMatchObject({ amount: new NumberText('0.10') });
	});

	it('no JSON number makes the parser throw', () => {
		const digits = fc.stringMatching(/^(0|[1-9]\d{0,50})$/);
		const fraction = fc.option(fc.stringMatching(/^\d{1,50}$/), { nil: null });
		const exponent = fc.option(fc.stringMatching(/^[eE][+-]?\d{1,12}$/), { nil: '' });
		fc.assert(
			fc.property(fc.boolean(), digits, fraction, exponent, (negative, whole, places, power) => {
				const source = `${negative ? '-' : ''}${whole}${places === null ? '' : `.${places}`}${power}`;
				const text = numberText(source);
				if (text === null) return;
				expect(text).toMatch(/^-?\d+(\.\d+)?$/);
				const amount = parseAmount(text, 8);
				if (amount) expect(amount.value.gt('0')).toBe(true);
			}),
		);
	});
});

describe('bodies are valid UTF-8 JSON or nothing', () => {
	const bytes = (...parts: (string | number[])[]) =>
		new Uint8Array(parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)));

	it.each([
		['empty', bytes()],
		['cut off', bytes('{"a":1')],
		['single quotes', bytes("{'a':1}")],
		['a trailing comma', bytes('{"a":1,}')],
		['two values', bytes('{}{}')],
		['a comment', bytes('{}//')],
		['NaN', bytes('{"a":NaN}')],
		['a byte order mark', bytes([0xef, 0xbb, 0xbf], '{}')],
		['a byte that is not UTF-8', bytes('{"a":"', [0xff], '"}')],
		['an overlong encoding', bytes('{"a":"', [0xc0, 0xaf], '"}')],
		['a surrogate in UTF-8', bytes('{"a":"', [0xed, 0xa0, 0x80], '"}')],
		['a raw NUL inside a string', bytes('{"a":"', [0], '"}')],
		['UTF-16', bytes([0x7b, 0, 0x7d, 0])],
	])('%s is not JSON', (_, body) => {
		expect(parseJson(body)).toBeUndefined();
	});

	it('any bytes at all are parsed or refused, never thrown', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 64 }), (body) => {
				expect(() => parseJson(body)).not.toThrow();
			}),
		);
	});

	it.each(['[', '{"amount":'])('nesting as deep as 16 KiB of %s allows is parsed or refused, never thrown', (open) => {
		const close = open === '[' ? ']' : '}';
		const depth = Math.floor((16 * 1024 - 1) / (open.length + 1));
		expect(() => parseJson(bytes(`${open.repeat(depth)}1${close.repeat(depth)}`))).not.toThrow();
	});
});

describe('decimals in responses are plain: no exponent, no trailing zeros, no trailing dot; USD has two places', () => {
	it.each([
		['1.500', '1.5'],
		['100', '100'],
		['0.000000000000000001', '0.000000000000000001'],
		['1e30', `1${'0'.repeat(30)}`],
		['2.000', '2'],
		['0.0', '0'],
	])('%s is shown as %s', (text, shown) => {
		expect(plain(decimal(text))).toBe(shown);
	});

	it.each([
		['190', '190.00'],
		['0.129', '0.12'],
		['0.009', '0.00'],
		['1234567.1', '1234567.10'],
	])('%s USD is shown as %s', (text, shown) => {
		expect(usdText(decimal(text))).toBe(shown);
	});
});

describe('exact division', () => {
	const positive = fc
		.tuple(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.integer({ min: 0, max: 20 }))
		.map(([digits, decimals]) => decimal(fromBaseUnits(digits, decimals)));

	it('down and up are the quotient, or enclose it and are one unit apart', () => {
		fc.assert(
			fc.property(positive, positive, fc.integer({ min: 0, max: 18 }), (a, b, places) => {
				const [down, up] = [divideDown(a, b, places), divideUp(a, b, places)];
				expect(down.times(b).lte(a)).toBe(true);
				expect(up.times(b).gte(a)).toBe(true);
				const unit = decimal(places === 0 ? '1' : `0.${'0'.repeat(places - 1)}1`);
				const gap = up.minus(down);
				expect(gap.eq('0') ? down.times(b).eq(a) : gap.eq(unit)).toBe(true);
			}),
		);
	});

	it('to 18 significant digits loses less than one unit of the last digit', () => {
		fc.assert(
			fc.property(positive, positive, (a, b) => {
				const quotient = divideSignificant(a, b, 18);
				expect(plain(quotient).replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length).toBeLessThanOrEqual(18);
				expect(quotient.times(b).lte(a)).toBe(true);
				expect(quotient.times('1.00000000000000001').times(b).gte(a)).toBe(true);
			}),
		);
	});
});

describe('base units', () => {
	it.each([
		['1', 8, 100_000_000n],
		['0.00000001', 8, 1n],
		['0.000000010', 8, 1n],
		['1.5', 18, 1_500_000_000_000_000_000n],
		['007', 0, 7n],
	])('%s at %i decimals is %s', (text, decimals, units) => {
		expect(toBaseUnits(text, decimals)).toBe(units);
	});

	it.each(['0.000000001', '-1', '1e3', '', '.1', 'x'])('%s is refused: this conversion never rounds', (text) => {
		expect(() => toBaseUnits(text, 8)).toThrow(RangeError);
	});

	it('converting there and back changes nothing, and the text is plain', () => {
		fc.assert(
			fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
				const text = fromBaseUnits(units, decimals);
				expect(text).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
				expect(toBaseUnits(text, decimals)).toBe(units);
			}),
		);
	});
});
