/** A whole report: its pages, added up. */
import type { Context } from 'hono';
import { isRow } from '../../operator/reading/fields.ts';
import { addedReport } from '../../operator/reading/report.ts';
import { answerTo } from './asking.ts';
import type { Input } from './commands.ts';
import type { ConsoleEnv } from './operator.ts';

/** Each page of the report is one call; a report of more is for the command line. */
const MOST_PAGES = 40;

export type Report = ReturnType<typeof addedReport>;

/** Or why there is none. */
export async function wholeReport(c: Context<ConsoleEnv>, input: Input): Promise<Report | string> {
	const pages: unknown[] = [];
	for (let cursor: unknown; pages.length < MOST_PAGES; ) {
		const answer = await answerTo(c, 'report', cursor === undefined ? input : { ...input, cursor });
		if (!answer.ok) return answer.error;
		pages.push(answer.data);
		cursor = isRow(answer.data) ? answer.data['cursor'] : null;
		if (cursor === null) return addedReport(pages);
	}
	return 'This is more than a page can add up: choose fewer days, or use npx exchange report.';
}
