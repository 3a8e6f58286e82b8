/**
 * Says what is wrong with an input, in words for a person. zod/mini has no words of its own: who shows them loads them
 * here. They are those of zod's English, as far as our schemas can fail; its whole table is twice as long.
 */
import { type $ZodError, type $ZodIssue, type $ZodRawIssue, config } from 'zod/v4/core';

/** Units of what has a length. */
const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items', set: 'items', map: 'entries' };
const FORMATS: Readonly<Record<string, string>> = {
	url: 'URL',
	uuid: 'UUID',
	datetime: 'ISO datetime',
	base64: 'base64-encoded string',
};

config({ localeError: wordsFor });

export function wordsFor(issue: $ZodRawIssue): string {
	switch (issue.code) {
		case 'invalid_type':
			return `Invalid input: expected ${issue.expected}, received ${typeOf(issue.input)}`;
		case 'invalid_value':
			return issue.values.length === 1
				? `Invalid input: expected ${listed(issue.values)}`
				: `Invalid option: expected one of ${listed(issue.values, '|')}`;
		case 'too_big':
			return `Too big: ${bounded(issue, issue.inclusive ? '<=' : '<', issue.maximum)}`;
		case 'too_small':
			return `Too small: ${bounded(issue, issue.inclusive ? '>=' : '>', issue.minimum)}`;
		case 'invalid_format':
			if (issue.format === 'regex') return `Invalid string: must match pattern ${issue.pattern}`;
			return `Invalid ${FORMATS[issue.format] ?? issue.format}`;
		case 'unrecognized_keys':
			return `Unrecognized key${issue.keys.length > 1 ? 's' : ''}: ${listed(issue.keys)}`;
		case 'invalid_key':
			return `Invalid key in ${issue.origin}`;
		default:
			return 'Invalid input';
	}
}

const listed = (values: readonly unknown[], between = ', '): string =>
	values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(between);

function typeOf(input: unknown): string {
	if (input === null) return 'null';
	if (Array.isArray(input)) return 'array';
	return Number.isNaN(input) ? 'NaN' : typeof input;
}

function bounded({ origin, exact }: { origin: string; exact?: boolean }, than: string, bound: unknown): string {
	const unit = UNITS[origin];
	return `expected ${origin} to ${unit ? 'have' : 'be'} ${exact ? 'exactly ' : than}${bound}${unit ? ` ${unit}` : ''}`;
}

type Issue = Pick<$ZodIssue, 'path' | 'message'>;

/** The first of a schema's issues, in one line, after the name of the field that it is about. */
export function firstIssue([issue]: readonly Issue[]): string {
	const { path = [], message = 'invalid input' } = issue ?? {};
	return path.length > 0 ? `${path.join('.')}: ${message}` : message;
}

/** All of them, a line each. */
export const allIssues = ({ issues }: $ZodError): string => issues.map((issue) => firstIssue([issue])).join('\n');
