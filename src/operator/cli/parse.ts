/**
 * Parses the command line with commander and makes the request. A usage error is one line that says what to do. The
 * service checks whether the values make sense. Pure.
 */
import { Command, CommanderError, Argument as PositionalArgument, Option as ProgramOption } from 'commander';
import packageJson from '../../../package.json' with { type: 'json' };
import { type Argument, type Declaration, type Option, pathOf, type Topic, wordsOf } from '../topic.ts';
import { TOPICS } from '../topics/table.ts';
import { ABOUT, HELP, OVERVIEW_END, PROGRAM } from './help.ts';
import { type SetupOptions, setupCommand } from './setup/options.ts';
import { flagsOf, optionName, readArgument, readOption, termOf, UsageError } from './values.ts';

/** What is sent as the request's body. */
export type Input = Readonly<Record<string, unknown>>;

interface Request {
	/** Below `/operator/v1/`. */
	readonly path: string;
	readonly declaration: Declaration;
	readonly input: Input;
	readonly json: boolean;
	/** Tables at their full width, whatever the terminal's. */
	readonly wide: boolean;
}

export type Parsed =
	| { readonly kind: 'help'; readonly text: string }
	| ({ readonly kind: 'request' } & Request)
	/** It talks to the account, not to the service. */
	| { readonly kind: 'setup'; readonly options: SetupOptions }
	| { readonly kind: 'usage'; readonly error: string };

const HELP_WORDS: ReadonlySet<string> = new Set(['--help', '-h']);

/** `width`: characters that a line of the help may have. */
export function parseCommandLine(words: readonly string[], width = Number.POSITIVE_INFINITY): Parsed {
	let text = '';
	const found: Request[] = [];
	let setup: SetupOptions | null = null;
	const program = newProgram(width, (part) => {
		text += part;
	});
	for (const [name, topic] of Object.entries<Topic>(TOPICS)) addTopic(program, name, topic, (one) => found.push(one));
	program.addCommand(
		setupCommand((options) => {
			setup = options;
		})
			.copyInheritedSettings(program)
			.exitOverride((error) => leave('setup', error)),
	);
	try {
		program.parse(helpAtTheEnd(words), { from: 'user' });
	} catch (error) {
		if (error instanceof UsageError) return { kind: 'usage', error: error.message };
		if (error instanceof CommanderError && error.exitCode === 0) return { kind: 'help', text: text.trimEnd() };
		throw error;
	}
	if (setup) return { kind: 'setup', options: setup };
	const [request] = found;
	if (!request) throw new TypeError(`no command ran for ${words.join(' ')}`);
	return { kind: 'request', ...request };
}

/** `help order list`, `--help order list` and `order --help list` all mean `order list --help`. */
function helpAtTheEnd(words: readonly string[]): string[] {
	const rest = words.filter((word, i) => !HELP_WORDS.has(word) && !(i === 0 && word === 'help'));
	return rest.length < words.length ? [...rest, '--help'] : rest;
}

function newProgram(width: number, write: (text: string) => void): Command {
	return new Command(PROGRAM)
		.description(ABOUT)
		.version(packageJson.version)
		.option('--json', 'one JSON value on standard output and nothing else')
		.option('--wide', 'tables as wide as they are, nothing wrapped to fit the terminal')
		.usage('COMMAND …')
		.addHelpText('after', OVERVIEW_END)
		.helpCommand(false)
		.configureHelp(HELP)
		.configureOutput({ writeOut: write, writeErr: () => undefined, getOutHelpWidth: () => width })
		.exitOverride((error) => leave('', error));
}

/** @throws UsageError for every mistake, the CommanderError itself where help or version was printed. */
function leave(words: string, error: CommanderError): never {
	if (error.exitCode === 0) throw error;
	const help = [PROGRAM, words, '--help'].filter(Boolean).join(' ');
	if (error.code === 'commander.help') {
		throw new UsageError(`${words ? `${words} needs a command` : 'no command'}; ${help} lists them`);
	}
	const message = error.message
		.replace(/^error: /, '')
		.replaceAll('\n', ' ')
		.replace(/\.$/, '');
	throw new UsageError(`${message}; see ${help}`);
}

function addTopic(program: Command, name: string, { about, commands }: Topic, onRequest: (request: Request) => void) {
	const heading = `${name} — ${about}`;
	const alone = commands[''];
	if (alone) addCommand(program.command(name).helpGroup(heading), name, '', alone, onRequest);
	const topic = alone ? null : program.command(name).usage('COMMAND …').helpCommand(false);
	topic?.exitOverride((error) => leave(name, error));
	for (const [verb, declaration] of Object.entries(commands)) {
		if (topic) addCommand(topic.command(verb).helpGroup(heading), name, verb, declaration, onRequest);
	}
}

function addCommand(
	command: Command,
	topic: string,
	verb: string,
	declaration: Declaration,
	onRequest: (request: Request) => void,
): void {
	const { summary, details, needsOption } = declaration;
	const positional = Object.entries(declaration.arguments ?? {});
	const options = Object.entries(declaration.options);
	const required = options.filter(([, option]) => option.required).map(([field, option]) => flagsOf(field, option));
	command
		.exitOverride((error) => leave(wordsOf(topic, verb), error))
		.summary(summary)
		.description([sentence(summary), details].filter(Boolean).join(' '))
		.usage([...positional.map(([, argument]) => termOf(argument)), ...required, '[options]'].join(' '));
	for (const [, argument] of positional) command.addArgument(positionalOf(argument));
	for (const [field, option] of options) command.addOption(optionOf(field, option));
	command.action(() => {
		const given: Readonly<Record<string, Given>> = command.opts();
		// Checked here, because commander would report a missing option before a misspelt one.
		const missing = options.find(([field, { required: isRequired }]) => isRequired && !given[field]);
		if (missing) command.error(`required option '${flagsOf(...missing)}' not specified`);
		if (needsOption && Object.keys(given).length === 0) command.error('nothing to change');
		const words = positional.map(([field], i) => [field, command.processedArgs[i]] as const);
		const input = Object.fromEntries([
			...words.filter(([, value]) => value !== undefined),
			...Object.entries(given).map(([field, one]) => [field, one === true || one.value] as const),
		]);
		const { json = false, wide = false } = command.optsWithGlobals();
		onRequest({ path: pathOf(topic, verb), declaration, input, json, wide });
	});
}

/**
 * An option as commander keeps it: true if it takes no value. The value is in an object, because commander turns null
 * into ''.
 */
type Given = true | { readonly value: unknown };

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function positionalOf(argument: Argument): PositionalArgument {
	const positional = new PositionalArgument(termOf(argument), argument.help);
	return positional.argParser<string | readonly string[]>((text, before) => {
		const value = readArgument(argument, text);
		return argument.many ? [...(Array.isArray(before) ? before : []), value] : value;
	});
}

function optionOf(field: string, option: Option): ProgramOption {
	const declared = new ProgramOption(flagsOf(field, option), option.help);
	if (option.kind === 'present') return declared;
	// For the help only: `readOption` takes the choices in upper or lower case.
	if (option.choices) declared.choices(option.choices);
	return declared.argParser<Given>((text, before) => {
		if (before !== undefined) throw new UsageError(`--${optionName(field)} is given twice; name it once`);
		return { value: readOption(field, option, text) };
	});
}
