/**
 * From the words that were typed to the request that is sent. Pure. A usage error is one line that says what to do; the
 * service judges everything else.
 */
import { parseArgs } from 'node:util';
import { type Command, type Flag, fieldOf, type Input, wordsOf } from './command.ts';
import { COMMANDS, TOPICS } from './commands.ts';
import { commandHelp, overviewHelp, topicHelp, usageOf } from './help.ts';

export type Parsed =
	| { readonly kind: 'help'; readonly text: string }
	| {
			readonly kind: 'request';
			readonly command: Command;
			readonly input: Input;
			readonly json: boolean;
			/** Tables as wide as they are, whatever the terminal. */
			readonly wide: boolean;
	  }
	| { readonly kind: 'usage'; readonly error: string };

/** Caught in this file: the way out of a parse that cannot go on. */
class UsageError extends Error {}

const GLOBAL_WORDS: ReadonlySet<string> = new Set(['--json', '--wide', '--help', '-h']);

export function parseCommandLine(words: readonly string[]): Parsed {
	try {
		return parse(words);
	} catch (error) {
		if (error instanceof UsageError) return { kind: 'usage', error: error.message };
		throw error;
	}
}

function parse(words: readonly string[]): Parsed {
	// The global flags may stand anywhere; everything else follows the two words that name the command.
	const before = words.findIndex((word) => !GLOBAL_WORDS.has(word));
	const leading = before < 0 ? words : words.slice(0, before);
	const [topic, ...afterTopic] = words.slice(leading.length);
	const wantsHelp = (list: readonly string[]) => list.includes('--help') || list.includes('-h');
	if (topic === undefined) {
		if (wantsHelp(leading)) return { kind: 'help', text: overviewHelp() };
		throw new UsageError('no command; --help lists them');
	}
	if (!Object.hasOwn(TOPICS, topic)) throw new UsageError(`unknown command ${topic}; --help lists the commands`);
	const rest = [...leading, ...afterTopic];
	const alone = COMMANDS.find((one) => one.topic === topic && one.verb === '');
	if (alone) return parseRest(alone, rest);
	const verbAt = rest.findIndex((word) => !GLOBAL_WORDS.has(word));
	const verb = rest[verbAt];
	if (verb === undefined) {
		if (wantsHelp(rest)) return { kind: 'help', text: topicHelp(topic) };
		throw new UsageError(`${topic} needs a command; ${topic} --help lists them`);
	}
	const command = COMMANDS.find((one) => one.topic === topic && one.verb === verb);
	if (!command) throw new UsageError(`unknown command ${topic} ${verb}; ${topic} --help lists the commands`);
	return parseRest(command, rest.toSpliced(verbAt, 1));
}

function parseRest(command: Command, words: readonly string[]): Parsed {
	const { values, positionals } = split(command, words);
	if (values['help'] === true) return { kind: 'help', text: commandHelp(command) };
	const input = { ...argumentsOf(command, positionals), ...flagsOf(command, values) };
	return { kind: 'request', command, input, json: values['json'] === true, wide: values['wide'] === true };
}

function split(command: Command, words: readonly string[]) {
	const options = Object.fromEntries(
		command.flags.map(({ name, kind }) => [name, { type: kind === 'present' ? 'boolean' : 'string' } as const]),
	);
	const globals = {
		json: { type: 'boolean' },
		wide: { type: 'boolean' },
		help: { type: 'boolean', short: 'h' },
	} as const;
	try {
		const { values, positionals, tokens } = parseArgs({
			args: [...words],
			options: { ...options, ...globals },
			allowPositionals: true,
			tokens: true,
		});
		const named = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
		const twice = named.find((name, i) => named.indexOf(name) !== i && options[name]);
		if (twice) throw new UsageError(`--${twice} is given twice; name it once`);
		return { values: values as Readonly<Record<string, string | boolean | undefined>>, positionals };
	} catch (error) {
		if (error instanceof UsageError || !(error instanceof TypeError)) throw error;
		throw new UsageError(problemOf(command, error));
	}
}

/** `parseArgs` says it in several sentences; the first one has the flag. */
function problemOf(command: Command, error: TypeError): string {
	const flag = /'(-[^' ]*)/.exec(error.message)?.[1];
	const code = (error as NodeJS.ErrnoException).code;
	const help = `${wordsOf(command)} --help shows the flags`;
	if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `unknown flag ${flag}; ${help}`;
	const takesNone = error.message.includes('does not take an argument');
	return `${takesNone ? `${flag} takes no value` : `${flag} needs a value`}; ${help}`;
}

function argumentsOf(command: Command, given: readonly string[]): Input {
	const usage = `usage: ${usageOf({ ...command, flags: command.flags.filter(({ required }) => required) })}`;
	const input: Record<string, unknown> = {};
	let used = 0;
	for (const { name, field, many, optional, choices } of command.arguments) {
		const values = many ? given.slice(used) : given.slice(used, used + 1);
		used += values.length;
		if (optional && values.length === 0) continue;
		if (values.length === 0 || values.includes('')) throw new UsageError(`${name} is missing; ${usage}`);
		const wrong = choices && values.find((value) => !choices.includes(value));
		if (wrong !== undefined) throw new UsageError(`${wrong} is not one of ${choices?.join(', ')}; ${usage}`);
		input[field] = many ? values : values[0];
	}
	if (given.length > used) throw new UsageError(`unexpected argument ${given[used]}; ${usage}`);
	return input;
}

function flagsOf(command: Command, values: Readonly<Record<string, string | boolean | undefined>>): Input {
	const name = wordsOf(command);
	const input: Record<string, unknown> = {};
	for (const flag of command.flags) {
		const value = values[flag.name];
		if (value !== undefined) input[fieldOf(flag)] = typeof value === 'string' ? flagValue(flag, value) : value;
		else if (flag.required) throw new UsageError(`--${flag.name} is missing; ${name} --help shows the flags`);
	}
	if (command.needsFlag && Object.keys(input).length === 0) {
		throw new UsageError(`nothing to change; ${name} --help shows the flags`);
	}
	return input;
}

function flagValue(flag: Flag, text: string): unknown {
	switch (flag.kind) {
		case 'text':
			if (flag.clearable && text === 'none') return null;
			return chosen(flag, text);
		case 'integer':
			if (!/^\d{1,15}$/.test(text))
				throw new UsageError(`--${flag.name} takes a whole number, not ${text || 'nothing'}`);
			return Number(text);
		case 'boolean':
			if (text !== 'true' && text !== 'false') {
				throw new UsageError(`--${flag.name} takes true or false, not ${text || 'nothing'}`);
			}
			return text === 'true';
		case 'switch':
			if (text !== 'on' && text !== 'off') {
				throw new UsageError(`--${flag.name} takes on or off, not ${text || 'nothing'}`);
			}
			return text === 'on';
		case 'list':
			return text.split(',').map((part) => chosen(flag, part.trim()));
		case 'present':
			return true;
		default:
			return flag.kind satisfies never;
	}
}

function chosen({ name, choices }: Flag, text: string): string {
	if (text === '') throw new UsageError(`--${name} needs a value`);
	if (!choices) return text;
	const choice = choices.find((one) => one.toLowerCase() === text.toLowerCase());
	if (choice === undefined) throw new UsageError(`--${name} takes ${choices.join(', ')}, not ${text}`);
	return choice;
}
