/** `--help` on every level, from the table of commands. Pure. */
import { type Argument, type Command, type Flag, wordsOf } from './command.ts';
import { COMMANDS, TOPICS } from './commands.ts';

const PROGRAM = 'npm run operator --';

const COMMON = [
	['--json', 'one JSON value on standard output and nothing else'],
	['--wide', 'tables as wide as they are, nothing wrapped to fit the terminal'],
	['--help', 'explains the command, or the group of commands'],
] as const;

export function overviewHelp(): string {
	return paragraphs(
		`Usage: ${PROGRAM} COMMAND …`,
		'Operates the running service. Every change takes effect at once and is written to the audit log.',
		...Object.entries(TOPICS).map(([topic, about]) => section(`${topic} — ${about}`, commandRows(topic))),
		section('Everywhere', COMMON),
		section('Environment', [
			['SERVICE_URL', 'the service (default http://127.0.0.1:$PORT, PORT default 8787)'],
			['OPERATOR_TOKEN', 'its operator token; not needed for a service that npm start runs here'],
			['STATE_DIR', 'where npm start keeps its state and its token (default .state)'],
		]),
		`More on one command: ${PROGRAM} partner create --help`,
	);
}

export const topicHelp = (topic: string): string =>
	paragraphs(
		`Usage: ${PROGRAM} ${topic} COMMAND …`,
		section(`${topic} — ${TOPICS[topic]}`, commandRows(topic)),
		section('Everywhere', COMMON),
		`More on one command: ${PROGRAM} ${topic} ${COMMANDS.find((command) => command.topic === topic)?.verb} --help`,
	);

export function commandHelp(command: Command): string {
	return paragraphs(
		`Usage: ${PROGRAM} ${usageOf(command)}`,
		[`${wordsOf(command)}: ${command.summary}.`, command.details ?? ''].filter(Boolean).join('\n'),
		section(
			'Arguments',
			command.arguments.map(({ name, help }) => [name, help]),
		),
		section('Flags', [
			...command.flags.map((flag): [string, string] => [
				flagUsage(flag),
				flag.required ? `${flag.help}; required` : flag.help,
			]),
			...COMMON,
		]),
	);
}

/** `partner update ID [--name NAME] …` */
export function usageOf(command: Command): string {
	const { arguments: args, flags } = command;
	const words = flags.map((flag) => (flag.required ? flagUsage(flag) : `[${flagUsage(flag)}]`));
	return [wordsOf(command), ...args.map(argumentUsage), ...words].join(' ');
}

function argumentUsage({ name, many, optional }: Argument): string {
	if (optional) return `[${name}]`;
	return many ? `${name}…` : name;
}

const VALUES = { text: 'TEXT', integer: 'NUMBER', boolean: 'true|false', switch: 'on|off', list: 'A,B' } as const;

function flagUsage({ name, kind, value }: Flag): string {
	return kind === 'present' ? `--${name}` : `--${name} ${value ?? VALUES[kind]}`;
}

const commandRows = (topic: string): [string, string][] =>
	COMMANDS.filter((command) => command.topic === topic).map((command) => [
		[wordsOf(command), ...command.arguments.map(argumentUsage)].join(' '),
		command.summary,
	]);

function section(title: string, rows: readonly (readonly [string, string])[]): string {
	if (rows.length === 0) return '';
	const width = Math.max(...rows.map(([name]) => name.length));
	return [title, ...rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`)].join('\n');
}

const paragraphs = (...parts: string[]): string => parts.filter(Boolean).join('\n\n');
