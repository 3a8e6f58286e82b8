/** The commands as the console has them: found by address, their inputs read from a form, and where each is shown. Pure. */
import { readArgument, readOption, UsageError } from '../../operator/reading/values.ts';
import { type Declaration, pathOf, type Topic, wordsOf } from '../../operator/topic.ts';
import { withLabels } from '../../operator/topics/labels.ts';
import { type CommandPath, TOPICS } from '../../operator/topics/table.ts';

export interface Command {
	readonly topic: string;
	readonly verb: string;
	/** Below `/operator/v1/`. */
	readonly path: CommandPath;
	/** As it is typed. */
	readonly words: string;
	readonly declaration: Declaration;
}

/** These read and write files beside the command line. */
const OF_THE_COMMAND_LINE: ReadonlySet<string> = new Set(['backup', 'restore']);

/** In the order of the command's overview. */
export const COMMANDS: readonly Command[] = Object.entries<Topic>(TOPICS)
	.filter(([topic]) => !OF_THE_COMMAND_LINE.has(topic))
	.flatMap(([topic, { commands }]) =>
		Object.entries(commands).map(([verb, declaration]) => ({
			topic,
			verb,
			declaration,
			path: pathOf(topic, verb) as CommandPath,
			words: wordsOf(topic, verb),
		})),
	);

const BY_PATH: ReadonlyMap<string, Command> = new Map(COMMANDS.map((command) => [command.path, command]));

export const commandAt = (path: string): Command | undefined => BY_PATH.get(path);

/** @throws TypeError for one of the command line alone: a mistake of the console's own pages */
export function commandOf(path: CommandPath): Command {
	const found = commandAt(path);
	if (!found) throw new TypeError(`the console has no command ${path}`);
	return found;
}

export type Input = Readonly<Record<string, unknown>>;
export type Query = Readonly<Record<string, string>>;

export const addressOf = (path: CommandPath, query: Query = {}): string => {
	const text = new URLSearchParams(query).toString();
	return `/operator/command/${path}${text ? `?${text}` : ''}`;
};

/** The given values, as the command takes them; or what is wrong with one field. A field that is empty is not given. */
export function inputOf({ declaration }: Command, given: URLSearchParams): Input | { readonly wrong: string } {
	const input: Record<string, unknown> = {};
	try {
		for (const [field, argument] of Object.entries(declaration.arguments)) {
			const text = (given.get(field) ?? '').trim();
			if (text === '') continue;
			input[field] = argument.many
				? text.split(/[\s,]+/).map((one) => readArgument(argument, one))
				: readArgument(argument, text);
		}
		for (const [field, option] of Object.entries(declaration.options)) {
			const text = given.getAll(field).join(',').trim();
			if (text !== '') input[field] = readOption(field, option, text);
		}
		return input;
	} catch (error) {
		if (!(error instanceof UsageError)) throw error;
		return { wrong: withLabels(error.message) };
	}
}

/** Are all fields there that the command must have? */
export function isComplete({ declaration }: Command, input: Input): boolean {
	const { arguments: positional, options, needsOption } = declaration;
	const must = [
		...Object.entries(positional).filter(([, { optional }]) => !optional),
		...Object.entries(options).filter(([, { required }]) => required),
	];
	const hasOption = Object.keys(options).some((field) => field in input);
	return must.every(([field]) => field in input) && (!needsOption || hasOption);
}

/** The fields as a form has them. */
export const queryOf = (given: URLSearchParams): Query =>
	Object.fromEntries([...given].filter(([name, value]) => !name.startsWith('_') && value !== ''));
