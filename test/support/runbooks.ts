/** The runbooks of the book's bad hour, and their commands with what the book says that they print. */
import { CHAPTERS } from '../../src/docs/book/chapters.ts';

export interface BookCommand {
	/** As it is written, after `npx `: `exchange` with its words, or `wrangler` with its words. */
	readonly text: string;
	/** What the book says that it prints. */
	readonly prints: readonly string[];
}

const runbooks = (CHAPTERS.find(({ name }) => name === 'bad-hour')?.text ?? '').split(/^## /m)[1] ?? '';

/** Each runbook with its text in one line. */
export const RUNBOOKS: ReadonlyMap<string, string> = new Map(
	runbooks
		.split(/^### /m)
		.slice(1)
		.map((section) => {
			const [heading = '', ...lines] = section.split('\n');
			return [heading, lines.join(' ').replaceAll(/\s+/g, ' ')];
		}),
);

/** The commands of a runbook in their order. What stands in “quotes” is printed by the command before it. */
export function commandsOf(heading: string): BookCommand[] {
	const text = RUNBOOKS.get(heading);
	if (text === undefined) throw new Error(`the book has no runbook “${heading}”`);
	const [before = '', ...parts] = text.split('`npx ');
	if (/[“”]/.test(before)) throw new Error(`“${heading}” says what is printed before it names a command`);
	return parts.map((part) => {
		const [command = '', ...rest] = part.split('`');
		return { text: command, prints: [...rest.join('`').matchAll(/“([^”]+)”/g)].map(([, printed = '']) => printed) };
	});
}
