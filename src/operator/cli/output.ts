/** The options of every command that say how its answer is printed. Pure. */
import { type Command, Option as ProgramOption } from 'commander';
import { type Format, readFormat, readSeconds, UsageError } from '../reading/values.ts';
import type { Declaration } from '../topic.ts';

const WATCH_SECONDS = 5;

/** The options as the line states them. */
export interface Output {
	readonly format: Format;
	/** Tables at their full width, whatever the terminal's, with all columns. */
	readonly wide: boolean;
	/** Seconds between two drawings; null to draw once. */
	readonly watch: number | null;
}

export const withOutputOptions = (program: Command): Command =>
	program
		.option('--json', 'one JSON value on standard output and nothing else; the same as --format json')
		.addOption(new ProgramOption('--format <table|csv|json>', 'lists as CSV, with all fields').argParser(readFormat))
		.option('--wide', 'tables with all columns, whole ids and times, nothing wrapped to fit the terminal')
		.addOption(
			new ProgramOption(
				'--watch [SECONDS]',
				`draw it again every ${WATCH_SECONDS} seconds, or so many, until Ctrl-C`,
			).argParser(readSeconds),
		);

/** `--json`, `--format`, `--wide` and `--watch` as commander keeps them. */
export interface Given {
	readonly json?: boolean;
	readonly format?: Format;
	readonly wide?: boolean;
	readonly watch?: number | true;
}

/** @throws UsageError where they do not go together, or not with this command. */
export function outputOf(
	words: string,
	{ columns, reads, paged }: Declaration,
	{ json, format, wide = false, watch }: Given,
): Output {
	if (json && format && format !== 'json') throw new UsageError(`--json and --format ${format} exclude each other`);
	const chosen = json ? 'json' : (format ?? 'table');
	if (chosen === 'csv' && !columns && !paged) throw new UsageError(`${words} gives no list; --format csv is for lists`);
	if (watch === undefined) return { format: chosen, wide, watch: null };
	if (!reads) throw new UsageError(`${words} changes something; --watch is for commands that only read`);
	if (chosen !== 'table') throw new UsageError(`--watch draws tables; it does not go with ${chosen}`);
	return { format: chosen, wide, watch: watch === true ? WATCH_SECONDS : watch };
}
