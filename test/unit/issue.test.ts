/** The words for a schema's issues are those of zod's English. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import english from 'zod/v4/locales/en.js';
import { allIssues, firstIssue, wordsFor } from '../../src/platform/issue.ts';

const ZOD = english().localeError;
const FAILING: readonly (readonly [string, z.ZodMiniType, unknown])[] = [
	['a text that is a number', z.string(), 5],
	['a number that is NaN', z.number(), Number.NaN],
	['a number that is null', z.number(), null],
	['an object that is a list', z.object({}), []],
	['a list that is missing', z.array(z.string()), undefined],
	['another literal', z.literal('float'), 'fixed'],
	['none of some', z.enum(['from', 'to']), 'back'],
	['a text that is too long', z.string().check(z.maxLength(2)), 'abc'],
	['a text of another length', z.string().check(z.length(2)), 'abc'],
	['a list that is too short', z.array(z.string()).check(z.minLength(1)), []],
	['a number that is too large', z.number().check(z.maximum(2)), 3],
	['a number that is not positive', z.number().check(z.positive()), 0],
	['a fraction', z.int(), 1.5],
	['a text that does not match', z.string().check(z.regex(/^a$/)), 'b'],
	['no URL', z.url(), 'x'],
	['no UUID', z.uuid(), 'x'],
	['no time', z.iso.datetime(), 'x'],
	['no base64', z.base64(), '!'],
	['one unknown key', z.strictObject({}), { a: 1 }],
	['two unknown keys', z.strictObject({}), { a: 1, b: 2 }],
	['none of two shapes', z.union([z.string(), z.number()]), true],
	['a key that is none', z.record(z.string().check(z.regex(/^a$/)), z.number()), { b: 1 }],
];

describe('an issue is said as zod says it', () => {
	it.each(FAILING)('%s', (_, schema, input) => {
		const { error } = schema.safeParse(input, { reportInput: true });
		const { error: theirs } = schema.safeParse(input, { error: ZOD });
		expect(error?.issues.map(({ message }) => message)).toEqual(theirs?.issues.map(({ message }) => message));
	});

	it('and anything else is an invalid input', () => {
		expect(wordsFor({ code: 'custom', input: 1, path: [] })).toBe('Invalid input');
	});
});

it('names the place of each', () => {
	const { error } = z.object({ a: z.object({ b: z.string() }), c: z.number() }).safeParse({ a: { b: 1 }, c: 'x' });
	expect(error && firstIssue(error.issues)).toBe('a.b: Invalid input: expected string, received number');
	expect(error && allIssues(error)).toBe(
		'a.b: Invalid input: expected string, received number\nc: Invalid input: expected number, received string',
	);
});
