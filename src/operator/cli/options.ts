/** Arguments and options of a declaration as commander takes them. Pure. */
import { Argument as PositionalArgument, Option as ProgramOption } from 'commander';
import { flagsOf, optionName, readArgument, readOption, termOf, UsageError } from '../reading/values.ts';
import type { Argument, Option } from '../topic.ts';

/**
 * An option as commander keeps it: true if it takes no value. The value is in an object, because commander turns null
 * into ''.
 */
export type Given = true | { readonly value: unknown };

export function positionalOf(argument: Argument): PositionalArgument {
	const positional = new PositionalArgument(termOf(argument), argument.help);
	return positional.argParser<string | readonly string[]>((text, before) => {
		const value = readArgument(argument, text);
		return argument.many ? [...(Array.isArray(before) ? before : []), value] : value;
	});
}

export function optionOf(field: string, option: Option): ProgramOption {
	const declared = new ProgramOption(flagsOf(field, option), option.help);
	if (option.kind === 'present') return declared;
	// For the help only: `readOption` takes the choices in upper or lower case.
	if (option.choices) declared.choices(option.choices);
	return declared.argParser<Given>((text, before) => {
		if (before !== undefined) throw new UsageError(`--${optionName(field)} is given twice; name it once`);
		return { value: readOption(field, option, text) };
	});
}
