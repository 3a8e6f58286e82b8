/** The fields of a command's form, from its declaration. */
import type { Argument, Option } from '../../operator/topic.ts';
import { labelOfInput } from '../../operator/topics/labels.ts';
import { Field } from '../parts/parts.tsx';
import type { Command } from './commands.ts';
import { inWords } from './todo.ts';

interface Props {
	readonly command: Command;
	readonly given: URLSearchParams;
	/** Fields that the form has already, hidden. */
	readonly without?: readonly string[];
	/** Each field's present value, where the command changes a record. */
	readonly now?: Readonly<Record<string, string>>;
	/** In filters the explanations would stand in the way. */
	readonly hints?: boolean;
}

export function CommandFields({ command, given, without = [], now = {}, hints = true }: Props) {
	const { arguments: positional, options, reads } = command.declaration;
	const isAsked = ([field]: readonly [string, unknown]) => !without.includes(field);
	const rest = { given, hints, now, unset: reads ? 'any' : 'stays as it is' };
	return (
		<>
			{Object.entries(positional)
				.filter(isAsked)
				.map(([field, argument]) => (
					<ArgumentField field={field} argument={argument} {...rest} />
				))}
			{Object.entries(options)
				.filter(isAsked)
				.filter(([field]) => field !== 'cursor')
				.map(([field, option]) => (
					<OptionField field={field} option={option} {...rest} />
				))}
		</>
	);
}

interface Common {
	readonly field: string;
	readonly given: URLSearchParams;
	readonly hints: boolean;
	readonly now: Readonly<Record<string, string>>;
	/** The meaning of an empty choice. */
	readonly unset: string;
}

const hintOf = (help: string, { hints, now, field }: Common) => {
	const text = [now[field] === undefined ? '' : `Now: ${now[field]}.`, hints ? sentence(help) : ''].join(' ').trim();
	return text === '' ? {} : { hint: text };
};

const sentence = (text: string): string => inWords(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);

const choicesOf = (words: readonly string[], unset: string | null) => ({
	...(unset !== null && { '': unset }),
	...Object.fromEntries(words.map((word) => [word, word])),
});

function ArgumentField({ argument, ...rest }: Common & { readonly argument: Argument }) {
	const { field, given } = rest;
	const label = labelOfInput(field, argument.names);
	const shared = { name: field, label, value: given.get(field) ?? '', ...hintOf(argument.help, rest) };
	return argument.choices ? (
		<Field {...shared} choices={choicesOf(argument.choices, argument.optional ? 'any' : null)} />
	) : (
		<Field {...shared} required={argument.optional !== true} autocomplete="off" />
	);
}

function OptionField({ option, ...rest }: Common & { readonly option: Option }) {
	const { field, given, unset } = rest;
	const { kind, choices, required, clearable } = option;
	const label = labelOfInput(field, option.names);
	const shared = { name: field, label, value: given.get(field) ?? '', ...hintOf(option.help, rest) };
	if (kind === 'boolean') return <Field {...shared} choices={choicesOf(['on', 'off'], unset)} />;
	if (kind === 'present')
		return (
			<label class="check">
				<input type="checkbox" name={field} value="on" checked={given.has(field)} />
				{rest.hints ? sentence(option.help) : label}
			</label>
		);
	if (choices && kind === 'text') return <Field {...shared} choices={choicesOf(choices, required ? null : unset)} />;
	return (
		<Field
			{...shared}
			required={required === true}
			autocomplete="off"
			{...(kind === 'integer' && !clearable && { inputmode: 'numeric' as const })}
		/>
	);
}
