/**
 * The search index: one entry for each section of the guide, the reference and the book. A browser fetches it whole and
 * ranks by the same rule (`browser/search.browser.js`; a test compares them). Pure.
 */
import { CHAPTERS } from '../../docs/book/chapters.ts';
import type { OpenApiDocument } from '../../docs/document.ts';
import { GUIDE_CHAPTERS, guidePath } from '../../docs/guide/chapters.ts';
import { chapterPath } from '../../docs/page/book-page.ts';
import { slug } from '../../docs/page/html.ts';
import { CHECKER, REFERENCE } from './site.ts';

export interface Entry {
	readonly path: string;
	/** The page's path. */
	readonly page: string;
	readonly heading: string;
	readonly text: string;
}

export type SearchIndex = readonly Entry[];

/** A section of the guide has its whole beginning; one of the book, which is larger, enough to find it by its names. */
const GUIDE_LETTERS = 500;
const BOOK_LETTERS = 160;
const MAX_FOUND = 12;

export function searchIndex(document: OpenApiDocument): SearchIndex {
	return [
		...GUIDE_CHAPTERS.flatMap((chapter) => sectionsOf(guidePath(chapter), chapter, GUIDE_LETTERS)),
		{ ...CHECKER, page: CHECKER.title, heading: CHECKER.title, text: CHECKER_WORDS },
		...operationsOf(document),
		...CHAPTERS.flatMap((chapter) => sectionsOf(chapterPath(chapter), chapter, BOOK_LETTERS)),
	].map(({ path, page, heading, text }) => ({ path, page, heading, text }));
}

const CHECKER_WORDS = 'Compare your signature with ours: bytes, HMAC, newline, timestamp, nonce, code 3 AUTH_INVALID.';

const operationsOf = ({ paths }: OpenApiDocument): Entry[] =>
	Object.entries(paths).flatMap(([path, item]) =>
		Object.entries(item).flatMap(([method, { operationId, summary, description = '' }]) =>
			method === 'head'
				? []
				: [
						{
							path: `${REFERENCE.path}#${operationId}`,
							page: REFERENCE.title,
							heading: `${method.toUpperCase()} ${path}`,
							text: plainText(`${summary}. ${description}`).slice(0, GUIDE_LETTERS),
						},
					],
		),
	);

function sectionsOf(
	path: string,
	{ title, text }: { readonly title: string; readonly text: string },
	letters: number,
): Entry[] {
	const parts = text.replaceAll(/^```[\s\S]*?^```$/gm, '').split(/^(?=#{1,3} )/m);
	return parts.map((part) => {
		const [first = '', ...lines] = part.split('\n');
		const heading = first.replace(/^#+ /, '').replaceAll('`', '');
		const isTitle = first.startsWith('# ');
		return {
			path: isTitle ? path : `${path}#${slug(heading)}`,
			page: title,
			heading,
			text: shortened(lines.join('\n'), letters),
		};
	});
}

/** The beginning, and every name in code that comes after it. */
function shortened(markdown: string, letters: number): string {
	const text = plainText(markdown);
	const start = text.slice(0, letters);
	const names = [...markdown.matchAll(/`([^`\n]{3,40})`/g)].map(([, name = '']) => name);
	const later = [...new Set(names)].filter((name) => !start.includes(name));
	return [start, ...later].join(' ').trim();
}

const plainText = (markdown: string): string =>
	markdown
		.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
		.replaceAll(/^\|[-|]+\|$/gm, '')
		.replaceAll(/[`*|]/g, ' ')
		.replaceAll(/\s+/g, ' ')
		.trim();

/** Entries that have every word, the best first: a word counts most in the heading, then in the page's title. */
export function found(index: SearchIndex, query: string): Entry[] {
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);
	if (words.length === 0) return [];
	const scored = index.map((entry) => ({ entry, score: scoreOf(entry, words) }));
	return scored
		.filter(({ score }) => score > 0)
		.toSorted((a, b) => b.score - a.score)
		.slice(0, MAX_FOUND)
		.map(({ entry }) => entry);
}

function scoreOf({ page, heading, text }: Entry, words: readonly string[]): number {
	const scores = words.map((word) => {
		const inHeading = heading.toLowerCase().includes(word) ? 10 : 0;
		const inPage = page.toLowerCase().includes(word) ? 4 : 0;
		return inHeading + inPage + (text.toLowerCase().includes(word) ? 1 : 0);
	});
	return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}
