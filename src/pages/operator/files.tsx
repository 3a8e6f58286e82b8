/** The answer of a command with all its pages: as a file, CSV or JSON, by the code that prints it for `--format`, or added up. */
import { csv } from '../../operator/reading/csv.ts';
import { cursorOf, pagesOf, printedPages } from '../../operator/reading/pages.ts';
import { addedReport } from '../../operator/reading/report.ts';
import type { CommandPath } from '../../operator/topics/table.ts';
import { FILE_FORMATS, type FileFormat, fileOf, keptDesk } from '../file.ts';
import { answerTo, type ConsoleContext } from './asking.ts';
import { addressOf, type Command, type Input, inputOf, isComplete, queryOf } from './commands.ts';

/** In the address of a command that reads. Commands have no field of this form. */
const FIELD = '_file';

/** As for `--format csv`: lists alone. */
const isList = ({ declaration: { columns, paged } }: Command): boolean => columns !== undefined || paged !== undefined;

/** Null where the address asks for no file, or for none that can be had: the page then says why. */
export async function fileAskedFor(
	c: ConsoleContext,
	command: Command,
	given: URLSearchParams,
): Promise<Response | null> {
	const format = FILE_FORMATS.find((one) => one === given.get(FIELD));
	if (!format || !isList(command)) return null;
	const input = inputOf(command, given);
	if ('wrong' in input || !isComplete(command, input)) return null;
	const texts = await textsOf(c, command, input, format);
	return texts && fileOf(command.words.replaceAll(' ', '-'), format, texts);
}

/** Null where the service refuses: the page, which asks again, says why. */
async function textsOf(
	c: ConsoleContext,
	{ path, declaration: { paged } }: Command,
	input: Input,
	format: FileFormat,
): Promise<AsyncGenerator<string> | null> {
	if (paged === 'list') return pagedTexts(c, path, input, format);
	if (paged === 'report') {
		const report = await wholeReport(c, input);
		return typeof report === 'string' ? null : once(format === 'csv' ? csv(report.lines) : jsonOf(report));
	}
	const answer = await answerTo(c, path, input);
	if (!answer.ok || !Array.isArray(answer.data)) return null;
	return once(format === 'csv' ? csv(answer.data) : jsonOf(answer.data));
}

const jsonOf = (data: unknown): string => `${JSON.stringify(data, null, 2)}\n`;

async function* once(text: string): AsyncGenerator<string> {
	yield text;
}

/** The first page is asked for before anything is answered: most of what is wrong is wrong there. */
async function pagedTexts(c: ConsoleContext, path: CommandPath, input: Input, format: FileFormat) {
	const desk = keptDesk(c.env.desk);
	const pages = pagesOf(input, async (one) => {
		const answer = await desk.operatePages(path, one);
		if (!answer.ok) throw new Error(answer.error);
		return answer.data;
	});
	const first = await pages.next().catch(() => null);
	if (!first) return null;
	async function* all() {
		yield first?.value;
		yield* pages;
	}
	return printedPages(all(), format);
}

/** Links to what is shown, as files. Every page of an answer is in them. */
export function FileLinks({ command, given }: { readonly command: Command; readonly given: URLSearchParams }) {
	if (!isList(command)) return null;
	const { cursor: _, ...query } = queryOf(given);
	const [csvFile, jsonFile] = FILE_FORMATS.map((format) => addressOf(command.path, { ...query, [FIELD]: format }));
	return (
		<p class="row small">
			<a href={csvFile}>As CSV</a>
			<a href={jsonFile}>As JSON</a>
		</p>
	);
}

/** A report of more is for the command line. */
const MOST_PAGES = 40;

export type Report = ReturnType<typeof addedReport>;

/** Or why there is none. */
export async function wholeReport(c: ConsoleContext, input: Input): Promise<Report | string> {
	const pages: unknown[] = [];
	for (let cursor: string | null | undefined; pages.length < MOST_PAGES; ) {
		const next = cursor === undefined ? input : { ...input, cursor };
		const answer = await c.env.desk.operatePages('report', next);
		if (!answer.ok) return answer.error;
		pages.push(...answer.data);
		cursor = cursorOf(pages.at(-1));
		if (cursor === null) return addedReport(pages);
	}
	return 'This is more than a page can add up: choose fewer days, or use npx exchange report.';
}
