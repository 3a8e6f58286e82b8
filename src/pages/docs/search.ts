/**
 * The search of the docs. The index is made when the pages are built; a browser asks it while its reader types, and the
 * Worker for who has no JavaScript: by the same rule, so that both find the same. Pure.
 */
import MiniSearch, { type Options } from 'minisearch';

export interface Section {
	readonly path: string;
	/** Title of its page. */
	readonly page: string;
	readonly heading: string;
	readonly text: string;
	/** The beginning of the text, which is shown. */
	readonly excerpt: string;
}

export type Found = Pick<Section, 'path' | 'page' | 'heading' | 'excerpt'>;
export type SearchIndex = MiniSearch<Section>;

export const SEARCH_PATH = '/docs/search';
export const INDEX_PATH = '/docs/search.json';
const MAX_FOUND = 12;

/** All words must be there, or words that begin so; one counts most in the heading, then in the page's title, and in the guide more than in the book. */
const OPTIONS: Options<Section> = {
	idField: 'path',
	fields: ['heading', 'page', 'text'],
	storeFields: ['path', 'page', 'heading', 'excerpt'],
	searchOptions: {
		combineWith: 'AND',
		prefix: true,
		boost: { heading: 10, page: 4 },
		boostDocument: (path) => (String(path).startsWith('/docs/book/') ? 0.5 : 1),
	},
};

/** @throws where two sections have one path */
export function indexText(sections: readonly Section[]): string {
	const index = new MiniSearch(OPTIONS);
	index.addAll(sections);
	return JSON.stringify(index);
}

export const readIndex = (text: string): SearchIndex => MiniSearch.loadJSON(text, OPTIONS);

/** The best first. Where nothing has the words, what has words with a letter in five wrong. */
export function found(index: SearchIndex, query: string): Found[] {
	const exact = index.search(query);
	const best = exact.length > 0 ? exact : index.search(query, { fuzzy: 0.2 });
	return (best as unknown as Found[]).slice(0, MAX_FOUND);
}
