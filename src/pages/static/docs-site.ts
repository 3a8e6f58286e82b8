/** The pages under `/docs`, in the order in which they are read: the list beside each page, and what is before and after. */
import { CHAPTERS } from '../../docs/book/chapters.ts';
import { GUIDE_CHAPTERS, guidePath } from '../../docs/guide/chapters.ts';
import { chapterPath } from '../../docs/page/book-page.ts';
import { CHANGELOG_PATH } from '../../docs/page/changelog.ts';
import { CLIENTS_PATH } from '../../docs/page/clients-text.ts';

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
export const PROMISES: DocsLink = { path: '/docs/promise', title: 'Promise checker' };
export const TRY: DocsLink = { path: '/docs/try', title: 'Try it' };
export const CLIENTS: DocsLink = { path: CLIENTS_PATH, title: 'Clients and files' };
export const CHANGELOG: DocsLink = { path: CHANGELOG_PATH, title: 'Changelog' };

export const GROUPS: readonly Group[] = [
	{ title: 'Guide', pages: GUIDE_CHAPTERS.map((chapter) => ({ path: guidePath(chapter), title: chapter.title })) },
	{ title: 'Reference', pages: [REFERENCE, TRY, CLIENTS, CHECKER, PROMISES, CHANGELOG] },
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
