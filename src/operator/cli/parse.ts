/**
 * Parses the command line with commander and makes the request. A usage error is one line that says what to do. The
 * service checks whether the values make sense. Pure.
 */
import { Command, CommanderError, Argument as PositionalArgument } from 'commander';
import packageJson from '../../../package.json' with { type: 'json' };
import { flagsOf, termOf, UsageError } from '../reading/values.ts';
import { type Declaration, pathOf, type Topic, wordsOf } from '../topic.ts';
import { type CommandPath, TOPICS } from '../topics/table.ts';
import { completionScript, SHELLS, type Shell } from './completion.ts';
import { ABOUT, HELP, OVERVIEW_END, PROGRAM } from './help.ts';
import { type Given, optionOf, positionalOf } from './options.ts';
import { type Output, outputOf, withOutputOptions } from './output.ts';
import {
	type HistoryOptions,
	type ProofOptions,
	proofCommand,
	type VerifyOptions,
	verifyCommand,
} from './proof-options.ts';
import {
	type DeployOptions,
	deployCommand,
	type PasskeyOptions,
	passkeyCommand,
	type SetupOptions,
	setupCommand,
} from './setup/options.ts';

/** The body of the request. */
export type Input = Readonly<Record<string, unknown>>;

export interface Request extends Output {
	readonly path: CommandPath;
	readonly declaration: Declaration;
	readonly input: Input;
}

export type Parsed =
	/** Help, the version, or a completion script. */
	| { readonly kind: 'text'; readonly text: string }
	| ({ readonly kind: 'request' } & Request)
	| Other
	| { readonly kind: 'usage'; readonly error: string };

/** A command that asks the account, a page of this machine, or nobody: not the service. */
type Other =
	| { readonly kind: 'setup'; readonly options: SetupOptions }
	| { readonly kind: 'deploy'; readonly options: DeployOptions }
	| { readonly kind: 'verify'; readonly options: VerifyOptions }
	| { readonly kind: 'proof'; readonly options: ProofOptions }
	| { readonly kind: 'proof-history'; readonly options: HistoryOptions }
	| { readonly kind: 'passkey'; readonly options: PasskeyOptions };

const HELP_WORDS: ReadonlySet<string> = new Set(['--help', '-h']);

/** `width`: characters that a line of the help may have. */
export function parseCommandLine(words: readonly string[], width = Number.POSITIVE_INFINITY): Parsed {
	let text = '';
	const found: Request[] = [];
	const others: Other[] = [];
	const program = newProgram(width, (part) => {
		text += part;
	});
	for (const [name, topic] of Object.entries<Topic>(TOPICS)) addTopic(program, name, topic, (one) => found.push(one));
	addCompletion(program, (script) => {
		text = script;
	});
	for (const command of [
		setupCommand((options) => others.push({ kind: 'setup', options })),
		deployCommand((options) => others.push({ kind: 'deploy', options })),
		verifyCommand((options) => others.push({ kind: 'verify', options })),
		proofCommand({
			verify: (options) => others.push({ kind: 'proof', options }),
			history: (options) => others.push({ kind: 'proof-history', options }),
		}),
		passkeyCommand((options) => others.push({ kind: 'passkey', options })),
	]) {
		program.addCommand(command.copyInheritedSettings(program).exitOverride((error) => leave(command.name(), error)));
		for (const verb of command.commands)
			verb.copyInheritedSettings(program).exitOverride((error) => leave(`${command.name()} ${verb.name()}`, error));
	}
	try {
		program.parse(helpAtTheEnd(words), { from: 'user' });
	} catch (error) {
		if (error instanceof UsageError) return { kind: 'usage', error: error.message };
		if (error instanceof CommanderError) return { kind: 'text', text: text.trimEnd() };
		throw error;
	}
	if (text) return { kind: 'text', text: text.trimEnd() };
	if (others[0]) return others[0];
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
	return withOutputOptions(new Command(PROGRAM))
		.description(ABOUT)
		.version(packageJson.version)
		.usage('COMMAND …')
		.addHelpText('after', OVERVIEW_END)
		.helpCommand(false)
		.configureHelp(HELP)
		.configureOutput({ writeOut: write, writeErr: write, getOutHelpWidth: () => width, getErrHelpWidth: () => width })
		.exitOverride((error) => leave('', error));
}

/**
 * @throws UsageError for every mistake, the CommanderError itself where version or help was printed: `commander.help` is
 * the help of a topic that was named without a command.
 */
function leave(words: string, error: CommanderError): never {
	if (error.exitCode === 0 || error.code === 'commander.help') throw error;
	const help = [PROGRAM, words, '--help'].filter(Boolean).join(' ');
	const message = error.message
		.replace(/^error: /, '')
		.replaceAll('\n', ' ')
		.replace(/\.$/, '');
	throw new UsageError(`${message}; see ${help}`);
}

function addTopic(program: Command, name: string, { about, commands }: Topic, onRequest: (request: Request) => void) {
	const heading = `${name} — ${about}`;
	const topic = program.command(name).usage('COMMAND …').helpCommand(false).helpGroup(heading);
	topic.exitOverride((error) => leave(name, error));
	for (const [verb, declaration] of Object.entries(commands)) {
		const command = verb === '' ? topic : topic.command(verb).helpGroup(heading);
		addCommand(command, { topic: name, verb, declaration }, onRequest);
	}
}

function addCommand(
	command: Command,
	{ topic, verb, declaration }: { readonly topic: string; readonly verb: string; readonly declaration: Declaration },
	onRequest: (request: Request) => void,
): void {
	const { summary, details, needsOption } = declaration;
	const positional = Object.entries(declaration.arguments);
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
		const output = outputOf(wordsOf(topic, verb), declaration, command.optsWithGlobals());
		onRequest({ path: pathOf(topic, verb) as CommandPath, declaration, input, ...output });
	});
}

function addCompletion(program: Command, onScript: (script: string) => void): void {
	const summary = 'print the script that completes commands, options and choices in this shell';
	program
		.command('completion')
		.helpGroup('completion — the shell')
		.summary(summary)
		.description(sentence(summary))
		.exitOverride((error) => leave('completion', error))
		.addArgument(new PositionalArgument('<bash|zsh>', 'the shell').choices(SHELLS))
		.action((shell: Shell) => onScript(completionScript(shell)));
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
