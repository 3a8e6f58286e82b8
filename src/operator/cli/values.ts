/** Turns the text of an option or argument into the value of the input. Pure. */
import type { Argument, Option } from '../topic.ts';

/** Its message is one line that says what to type instead. */
export class UsageError extends Error {}

/** What stands for the value in the help, by kind. */
const VALUES = { text: 'TEXT', integer: 'NUMBER', boolean: 'true|false', switch: 'on|off', list: 'A,B' } as const;

export const optionName = (field: string): string => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `--limit <NUMBER>`, as the help shows it. */
export const flagsOf = (field: string, { kind, value }: Option): string =>
	kind === 'present' ? `--${optionName(field)}` : `--${optionName(field)} <${value ?? VALUES[kind]}>`;

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
			if (/^\d{1,15}$/.test(text)) return Number(text);
			throw new UsageError(`${name} takes a whole number, not ${text || 'nothing'}`);
		case 'boolean':
			return oneOf(name, text, 'true', 'false');
		case 'switch':
			return oneOf(name, text, 'on', 'off');
		case 'list':
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

/** The words for true and for false. */
function oneOf(name: string, text: string, yes: string, no: string): boolean {
	if (text === yes || text === no) return text === yes;
	throw new UsageError(`${name} takes ${yes} or ${no}, not ${text || 'nothing'}`);
}

/** One of the choices in any case, or any text where there are none. */
function chosen(name: string, { choices }: Option, text: string): string {
	if (text === '') throw new UsageError(`${name} needs a value`);
	if (!choices) return text;
	const choice = choices.find((one) => one.toLowerCase() === text.toLowerCase());
	if (choice !== undefined) return choice;
	throw new UsageError(`${name} takes ${choices.join(', ')}, not ${text}`);
}
