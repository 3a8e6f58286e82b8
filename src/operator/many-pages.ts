/**
 * Several pages of a long answer in one call. One request may call Workers some thirty times, so that a file of many pages
 * needs more than one page a call (book: architecture, "The platform").
 */
import type { CommandAnswer, CommandInput, PagesAnswer } from '../ports/desk.ts';
import { cursorOf } from './reading/pages.ts';

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
