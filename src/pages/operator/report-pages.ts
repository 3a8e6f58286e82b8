/** A whole report: its pages, added up. */
import type { Context } from 'hono';
import { cursorOf } from '../../operator/reading/pages.ts';
import { addedReport } from '../../operator/reading/report.ts';
import type { Input } from './commands.ts';
import type { ConsoleEnv } from './operator.ts';

/** A report of more is for the command line. */
const MOST_PAGES = 40;

export type Report = ReturnType<typeof addedReport>;

/** Or why there is none. */
export async function wholeReport(c: Context<ConsoleEnv>, input: Input): Promise<Report | string> {
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
