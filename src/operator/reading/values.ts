/** Turns the text of an option or argument into the value of the input. Pure. */
import type { Argument, Option } from '../topic.ts';

/** Its message is one line that says what to type instead. */
export class UsageError extends Error {}

/** How an answer is printed. */
export const FORMATS = ['table', 'csv', 'json'] as const;
export type Format = (typeof FORMATS)[number];

/** The word that stands for the value in the help, by kind. */
const VALUES = { text: 'TEXT', integer: 'NUMBER', boolean: 'on|off', list: 'A,B' } as const;
/** The words for true and for false. */
const YES: ReadonlySet<string> = new Set(['on', 'true']);
const NO: ReadonlySet<string> = new Set(['off', 'false']);
/** More than a day is no watching. */
const MAX_WATCH_SECONDS = 86_400;

export const optionName = (field: string): string => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `-n, --limit <NUMBER>`, as the help shows it. */
export function flagsOf(field: string, { kind, value, short }: Option): string {
	const name = `${short ? `-${short}, ` : ''}--${optionName(field)}`;
	return kind === 'present' ? name : `${name} <${value ?? VALUES[kind]}>`;
}

/** `<ID>`, `[NAME]`, `<ORDER...>` or `[ORDER...]`, as the help shows it. */
export function termOf({ name, many, optional }: Argument): string {
	const words = many ? `${name}...` : name;
	return optional ? `[${words}]` : `<${words}>`;
}

/** The value of an option. @throws UsageError */
export function readOption(field: string, option: Option, text: string): unknown {
	const name = `--${optionName(field)}`;
	switch (option.kind) {
		case 'text':
			return option.clearable && text === 'none' ? null : chosen(name, option, text);
		case 'integer':
			if (option.clearable && text === 'none') return null;
			if (/^-?\d{1,15}$/.test(text)) return Number(text);
			throw new UsageError(`${name} takes a whole number, not ${text || 'nothing'}`);
		case 'boolean':
			return switched(name, text);
		case 'list':
			if (option.clearable && text === 'none') return null;
			return text.split(',').map((part) => chosen(name, option, part.trim()));
		case 'present':
			return true;
		default:
			return option.kind satisfies never;
	}
}

/** The value of one positional word. @throws UsageError */
export function readArgument({ name, choices }: Argument, text: string): string {
	if (text === '') throw new UsageError(`${name} is empty`);
	if (!choices || choices.includes(text)) return text;
	throw new UsageError(`${text} is not one of ${choices.join(', ')}`);
}

function switched(name: string, text: string): boolean {
	if (YES.has(text) || NO.has(text)) return YES.has(text);
	throw new UsageError(`${name} takes on or off, not ${text || 'nothing'}`);
}

/** The value of `--watch`. @throws UsageError */
export function readSeconds(text: string): number {
	const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
	if (seconds >= 1 && seconds <= MAX_WATCH_SECONDS) return seconds;
	throw new UsageError(`--watch takes seconds from 1 to ${MAX_WATCH_SECONDS}, not ${text}; without them put it last`);
}

/** The value of `--format`. @throws UsageError */
export function readFormat(text: string): Format {
	const format = FORMATS.find((one) => one === text);
	if (format) return format;
	throw new UsageError(`--format takes ${FORMATS.join(', ')}, not ${text}`);
}

/** One of the choices in any case, or any text where there are none. */
function chosen(name: string, { choices }: Option, text: string): string {
	if (text === '') throw new UsageError(`${name} needs a value`);
	if (!choices) return text;
	const choice = choices.find((one) => one.toLowerCase() === text.toLowerCase());
	if (choice !== undefined) return choice;
	throw new UsageError(`${name} takes ${choices.join(', ')}, not ${text}`);
}
