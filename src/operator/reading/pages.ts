/** Answers that come in pages: the rows of an export one after the other. Pure. */
import * as z from 'zod/mini';
import type { CommandAnswer, CommandInput, PagesAnswer } from '../../ports/desk.ts';
import { csv } from './csv.ts';
import type { Format } from './values.ts';

type Input = Readonly<Record<string, unknown>>;

export const listPage = z.object({ rows: z.array(z.unknown()), cursor: z.nullable(z.string()) });

const cursorSchema = z.object({ cursor: z.nullable(z.string()) });

/** The cursor of the page that follows; null for the last one. */
export const cursorOf = (page: unknown): string | null => cursorSchema.parse(page).cursor;

/** Every page, the first one first. `ask`: one call of the service, which brings one page or several. */
export async function* pagesOf(
	input: Input,
	ask: (input: Input) => Promise<readonly unknown[]>,
): AsyncGenerator<unknown> {
	for (let cursor: string | null | undefined; cursor !== null; ) {
		const pages = await ask(cursor === undefined ? input : { ...input, cursor });
		yield* pages;
		cursor = cursorOf(pages.at(-1));
	}
}

/** The pages of a list as they are printed: what comes before, between and after the rows of each. */
export async function* printedPages(pages: AsyncIterable<unknown>, format: Format): AsyncGenerator<string> {
	let printed = 0;
	if (format === 'json') yield '[';
	for await (const page of pages) {
		const { rows } = listPage.parse(page);
		if (format === 'json')
			yield rows.map((row, i) => `${printed + i === 0 ? '\n' : ',\n'}${JSON.stringify(row)}`).join('');
		else yield printed === 0 ? csv(rows) : withoutHeader(csv(rows));
		printed += rows.length;
	}
	if (format === 'json') yield '\n]\n';
}

/** The names of fields have no line break. */
const withoutHeader = (text: string): string => text.slice(text.indexOf('\n') + 1);

/** The largest pages are some 200 kB, and an answer between Workers has at most 32 MiB. */
const PAGES_PER_CALL = 20;

/** From the page that `input` names on; the last one has the cursor of what follows. What is refused ends it. */
export async function manyPages(
	input: CommandInput,
	ask: (input: CommandInput) => Promise<CommandAnswer>,
): Promise<PagesAnswer> {
	const pages: unknown[] = [];
	for (let cursor: string | null | undefined; cursor !== null && pages.length < PAGES_PER_CALL; ) {
		const answer = await ask(cursor === undefined ? input : { ...input, cursor });
		if (!answer.ok) return answer;
		pages.push(answer.data);
		cursor = cursorOf(answer.data);
	}
	return { ok: true, data: pages };
}
