/**
 * One command line, from its words to its exit status: 0 done, 1 the service refused or cannot be reached, or a check
 * found something, 2 the command line is wrong, 3 a check could not check everything. Where it prints is an argument.
 */
import { listPage, pagesOf, printedPages } from '../reading/pages.ts';
import { addedReport } from '../reading/report.ts';
import { optionName } from '../reading/values.ts';
import type { Declaration } from '../topic.ts';
import type { CommandPath } from '../topics/table.ts';
import { PROCEDURES } from './backup.ts';
import { type Input, parseCommandLine, type Request } from './parse.ts';
import { printed } from './print.ts';
import type { ProofVerdict } from './proof.ts';
import { type Environment, ServiceError, send, Unconfirmed } from './service.ts';
import { type Screen, watch } from './watch.ts';

/** Width when the output is not a terminal, so that a script's tables do not depend on a window. */
const DEFAULT_WIDTH = 80;

export interface Terminal {
	readonly output: Screen;
	/** Lines of standard error. */
	readonly complain: (line: string) => void;
	readonly environment: Environment;
	/** A secret that a person types or pipes. */
	readonly secret: (name: string) => Promise<string>;
}

/** The exit status of a command line. @throws whatever is a defect of this program */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
	try {
		return await run(words, terminal);
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		terminal.complain(oneLine(error.message));
		return 1;
	}
}

async function run(words: readonly string[], terminal: Terminal): Promise<number> {
	const { output, complain } = terminal;
	const parsed = parseCommandLine(words.length === 0 ? ['morning'] : words, output.columns ?? DEFAULT_WIDTH);
	switch (parsed.kind) {
		case 'text':
			output.write(`${parsed.text}\n`);
			return 0;
		case 'usage':
			complain(oneLine(parsed.error));
			return 2;
		case 'request': {
			if (parsed.watch !== null) return watch(output, parsed.watch, words.join(' '), () => drawing(parsed, terminal));
			if (parsed.declaration.paged === 'list' && parsed.format !== 'table') return printAll(parsed, terminal);
			const data = await answerOf(parsed, terminal);
			output.write(printed(parsed, data, styleOf(parsed, terminal)));
			return judge(parsed.declaration, data, complain);
		}
		case 'setup': {
			// Loaded only here: no other command needs it.
			const { setup } = await import('./setup/setup.ts');
			return setup(parsed.options);
		}
		case 'passkey': {
			const { newPasskey } = await import('./passkey.ts');
			output.write(`${await newPasskey(parsed.options, complain)}\n`);
			return 0;
		}
		case 'deploy': {
			const { deployAgain } = await import('./setup/deploy-again.ts');
			return deployAgain(parsed.options);
		}
		case 'verify': {
			const { verifiedPromise } = await import('./verify-promise.ts');
			output.write(`${await verifiedPromise(parsed.options)}\n`);
			return 0;
		}
		case 'proof': {
			const [{ verifiedProof }, { reserveVerifier }] = await Promise.all([
				import('./proof.ts'),
				import('../../chains/verify-reserve.ts'),
			]);
			return told(await verifiedProof(parsed.options, reserveVerifier, Date.now()), terminal);
		}
		case 'proof-history': {
			const { historyInFiles } = await import('./history-files.ts');
			return told(await historyInFiles(parsed.options), terminal);
		}
		default:
			return parsed satisfies never;
	}
}

/** The exit status. */
function told({ lines, wrong, unchecked }: ProofVerdict, { output, complain }: Terminal): number {
	output.write(lines.map((line) => `${oneLine(line)}\n`).join(''));
	for (const line of [...wrong, ...unchecked]) complain(oneLine(line));
	return wrong.length > 0 ? 1 : unchecked.length > 0 ? 3 : 0;
}

const styleOf = ({ wide }: Request, { output, environment }: Terminal) => ({
	width: wide ? Number.POSITIVE_INFINITY : (output.columns ?? DEFAULT_WIDTH),
	now: Date.now(),
	wide,
	color: output.isTTY === true && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb',
});

/** A failure is printed where the answer would stand: the next drawing may have it. */
async function drawing(request: Request, terminal: Terminal): Promise<string> {
	try {
		return printed(request, await answerOf(request, terminal), styleOf(request, terminal)).trimEnd();
	} catch (error) {
		if (error instanceof ServiceError) return oneLine(error.message);
		throw error;
	}
}

/** Page by page, so that an export of any length needs little memory. */
async function printAll(request: Request, terminal: Terminal): Promise<number> {
	for await (const part of printedPages(pagesOf(request.input, askerOf(request, terminal)), request.format))
		terminal.output.write(part);
	return 0;
}

/** The whole answer, all its pages. */
async function answerOf(request: Request, terminal: Terminal): Promise<unknown> {
	const { paged } = request.declaration;
	if (!paged) return answered(request, terminal);
	const pages: unknown[] = [];
	for await (const page of pagesOf(request.input, askerOf(request, terminal))) pages.push(page);
	if (paged === 'list') return pages.flatMap((page) => listPage.parse(page).rows);
	const report = addedReport(pages);
	return request.format === 'csv' ? report.lines : report;
}

/** One page a call. */
const askerOf = (request: Request, terminal: Terminal) => async (input: Input) => [
	await answered({ ...request, input }, terminal),
];

/** @throws ServiceError, in the words of the command line. */
async function answered({ path, input, declaration }: Request, terminal: Terminal): Promise<unknown> {
	const { environment, secret } = terminal;
	try {
		return await (PROCEDURES[path]?.(input, environment, secret) ??
			send(path, input, environment).catch((error) => confirmed(error, path, input, terminal)));
	} catch (error) {
		throw error instanceof ServiceError ? new ServiceError(inWordsOfTheLine(error.message, declaration)) : error;
	}
}

/** Where the command waits for persons, they are asked on this machine, and it is run again. */
async function confirmed(error: unknown, path: CommandPath, input: Input, terminal: Terminal): Promise<unknown> {
	if (!(error instanceof Unconfirmed)) throw error;
	const { confirmHere } = await import('./passkey.ts');
	const _confirmation = await confirmHere(error.asks, terminal.complain);
	return send(path, { ...input, _confirmation }, terminal.environment);
}

/** The service names the field of a wrong value (`limit: must be …`), the line has an option or an argument for it. */
function inWordsOfTheLine(message: string, { options, arguments: positional }: Declaration): string {
	return message.replace(/^(\w+)(?:\.\d+)?: /, (all, field: string) => {
		if (Object.hasOwn(options, field)) return `--${optionName(field)} `;
		return Object.hasOwn(positional, field) ? `${positional[field]?.name} ` : all;
	});
}

/** The exit status. Standard error says which rule set it, for scripts and their logs. */
function judge({ exitRules }: Declaration, data: unknown, complain: Terminal['complain']): number {
	const counts = new Map<string, unknown>(Object.entries(Array.isArray(data) ? countsOf(data) : Object(data)));
	// A missing count is not 0: the answer must say that all is well.
	const broken = exitRules?.find(({ field }) => counts.get(field) !== 0);
	if (!broken) return 0;
	complain(broken.message);
	return broken.status ?? 1;
}

/** A rule may count a list's rows, those of a state that is not well, and those where something is short. */
function countsOf(rows: readonly unknown[]) {
	const inState = (state: string) => rows.filter((row) => Object(row)['state'] === state).length;
	const short = rows.filter((row) => Object(row)['short']).length;
	return { length: rows.length, wrong: inState('wrong'), unknown: inState('unknown'), short };
}

/** The words that were typed and the service's answer may contain control characters. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');
