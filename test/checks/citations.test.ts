/** Every citation in a comment names a chapter and a heading of the book, and nothing that a clone does not have. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHAPTERS } from '../../src/docs/book/chapters.ts';
import { headingsOf } from '../support/markdown.ts';

const ROOT = join(import.meta.dirname, '../..');
const BOOK = 'src/docs/book';

const headings = new Map(CHAPTERS.map(({ name, text }) => [name, headingsOf(text)]));

const filesIn = (folder: string): string[] =>
	readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`);

const sources = [...filesIn('src'), ...filesIn('test'), ...filesIn('migrations'), 'wrangler.toml']
	.filter((name) => /\.(ts|sql|toml|js|json|yaml|md)$/.test(name) && !name.startsWith(`${BOOK}/`))
	.map((name) => ({ name, text: oneLine(readFileSync(join(ROOT, name), 'utf8')) }));

/** Removes line breaks and comment signs, because a citation may be wrapped. */
function oneLine(text: string): string {
	return text.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/|--|#)?[ \t]*/g, ' ');
}

describe('a citation of the book', () => {
	// A chapter with one or more headings, each in quotation marks after a comma; or only a chapter, in brackets.
	const cited = sources.flatMap(({ name, text }) =>
		[...text.matchAll(/\bbook: ([\w-]+)((?:, "[^"]+")+)|\(book: ([\w-]+)\)/g)].map(
			([citation, chapter, quoted = '', alone]) => ({
				where: `${name}: ${citation}`,
				chapter: chapter ?? alone ?? '',
				headings: [...quoted.matchAll(/"([^"]+)"/g)].map(([, heading = '']) => heading),
			}),
		),
	);

	it('names a chapter and headings that are there', () => {
		const wrong = cited.filter(({ chapter, headings: named }) => {
			const known = headings.get(chapter);
			return !known || named.some((heading) => !known.includes(heading));
		});
		expect(wrong.map(({ where }) => where)).toEqual([]);
	});

	it('is how the code gives its reasons', () => {
		expect(cited.length).toBeGreaterThan(100);
	});

	it('is the only kind: nothing is cited that a clone does not have', () => {
		const elsewhere =
			/(?<![/\w])(?:decisions|operator|platform|chains|networks|architecture|cloudflare)\.md\b|\.\.\/shared\b|\([sS]pec[,)]|\b[sS]pec,? "/;
		const wrong = sources.flatMap(({ name, text }) => {
			const found = elsewhere.exec(text);
			return found ? [`${name}: ${text.slice(found.index, found.index + 60)}`] : [];
		});
		expect(wrong).toEqual([]);
	});
});
