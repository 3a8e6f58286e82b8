/**
 * The operator's command: `npx exchange COMMAND …`. Exit status: 0 done, 1 the service refused or cannot be reached, or
 * a check found something, 2 the command line is wrong, 3 a check could not check everything.
 */
import type { Declaration } from '../topic.ts';
import { PROCEDURES } from './backup.ts';
import { addedReport, listPage, pagesOf, printedPages } from './pages.ts';
import { parseCommandLine, type Request } from './parse.ts';
import { printed } from './print.ts';
import { ServiceError, send } from './service.ts';
import { optionName } from './values.ts';
import { watch } from './watch.ts';

/** Width when the output is not a terminal, so that a script's tables do not depend on a window. */
const DEFAULT_WIDTH = 80;

async function main(words: readonly string[]): Promise<number> {
	const width = process.stdout.columns ?? DEFAULT_WIDTH;
	const parsed = parseCommandLine(words, width);
	switch (parsed.kind) {
		case 'text':
			console.log(parsed.text);
			return 0;
		case 'usage':
			console.error(oneLine(parsed.error));
			return 2;
		case 'request': {
			if (parsed.watch !== null) return watch(process.stdout, parsed.watch, words.join(' '), () => drawing(parsed));
			if (parsed.declaration.paged === 'list' && parsed.format !== 'table') return printAll(parsed);
			const data = await answerOf(parsed);
			process.stdout.write(printed(parsed, data, styleOf(parsed)));
			return judge(parsed.declaration, data);
		}
		case 'setup': {
			// Loaded only here: no other command needs it.
			const { setup } = await import('./setup/setup.ts');
			return setup(parsed.options);
		}
		default:
			return parsed satisfies never;
	}
}

const styleOf = ({ wide }: Request) => ({
	width: wide ? Number.POSITIVE_INFINITY : (process.stdout.columns ?? DEFAULT_WIDTH),
	now: Date.now(),
	wide,
	color: process.stdout.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb',
});

/** What cannot be had now is said where the answer would stand: the next drawing may have it. */
async function drawing(request: Request): Promise<string> {
	try {
		return printed(request, await answerOf(request), styleOf(request)).trimEnd();
	} catch (error) {
		if (error instanceof ServiceError) return oneLine(error.message);
		throw error;
	}
}

/** Page by page, so that an export of any length needs little memory. */
async function printAll(request: Request): Promise<number> {
	const pages = pagesOf(request.input, (input) => answered({ ...request, input }));
	for await (const part of printedPages(pages, request.format)) process.stdout.write(part);
	return 0;
}

/** The whole answer, all its pages. */
async function answerOf(request: Request): Promise<unknown> {
	const { paged } = request.declaration;
	if (!paged) return answered(request);
	const pages: unknown[] = [];
	for await (const page of pagesOf(request.input, (input) => answered({ ...request, input }))) pages.push(page);
	if (paged === 'list') return pages.flatMap((page) => listPage.parse(page).rows);
	const report = addedReport(pages);
	return request.format === 'csv' ? report.lines : report;
}

/** @throws ServiceError, in the words of the command line. */
async function answered({ path, input, declaration }: Request): Promise<unknown> {
	try {
		return await (PROCEDURES[path]?.(input, process.env) ?? send(path, input, process.env));
	} catch (error) {
		throw error instanceof ServiceError ? new ServiceError(inWordsOfTheLine(error.message, declaration)) : error;
	}
}

/** The service names the field of a wrong value (`limit: must be …`), the line has an option or an argument for it. */
function inWordsOfTheLine(message: string, { options, arguments: positional = {} }: Declaration): string {
	return message.replace(/^(\w+)(?:\.\d+)?: /, (all, field: string) => {
		if (Object.hasOwn(options, field)) return `--${optionName(field)} `;
		return Object.hasOwn(positional, field) ? `${positional[field]?.name} ` : all;
	});
}

/** The exit status. Standard error says which rule set it, for scripts and their logs. */
function judge({ exitRules }: Declaration, data: unknown): number {
	const counts = new Map<string, unknown>(Object.entries(Array.isArray(data) ? { length: data.length } : Object(data)));
	// A missing count is not 0: the answer must say that all is well.
	const broken = exitRules?.find(({ field }) => counts.get(field) !== 0);
	if (!broken) return 0;
	console.error(broken.message);
	return broken.status ?? 1;
}

/** The words that were typed and the service's answer may contain control characters. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

try {
	process.exitCode = await main(process.argv.slice(2));
} catch (error) {
	if (!(error instanceof ServiceError)) throw error;
	console.error(oneLine(error.message));
	process.exitCode = 1;
}
