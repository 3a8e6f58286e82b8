/** The pages under `/docs`, in the order in which they are read: the list beside each page, and what is before and after. */
import { CHAPTERS } from '../../docs/book/chapters.ts';
import { GUIDE_CHAPTERS, guidePath } from '../../docs/guide/chapters.ts';
import { chapterPath } from '../../docs/page/book-page.ts';

export interface DocsLink {
	readonly path: string;
	readonly title: string;
}

interface Group {
	readonly title: string;
	readonly pages: readonly DocsLink[];
}

export const START: DocsLink = { path: '/docs', title: 'Start' };
export const REFERENCE: DocsLink = { path: '/docs/api', title: 'API reference' };
export const CHECKER: DocsLink = { path: '/docs/signature', title: 'Signature checker' };
export const TRY: DocsLink = { path: '/docs/try', title: 'Try it' };

export const GROUPS: readonly Group[] = [
	{ title: 'Guide', pages: GUIDE_CHAPTERS.map((chapter) => ({ path: guidePath(chapter), title: chapter.title })) },
	{ title: 'Reference', pages: [REFERENCE, TRY, CHECKER] },
	{ title: 'The book', pages: CHAPTERS.map((chapter) => ({ path: chapterPath(chapter), title: chapter.title })) },
];

const ORDER: readonly DocsLink[] = GROUPS.flatMap(({ pages }) => pages);

export function neighboursOf(path: string): {
	readonly before: DocsLink | undefined;
	readonly after: DocsLink | undefined;
} {
	const at = ORDER.findIndex((page) => page.path === path);
	if (at < 0) return { before: undefined, after: undefined };
	return { before: ORDER[at - 1], after: ORDER[at + 1] };
}
