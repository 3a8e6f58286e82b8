/**
 * The pages that are the same for everybody, and what else the platform serves without running the Worker: the front, the
 * docs, the icon, and the headers of all (`local/static-pages.ts` writes them). Pure.
 */
import { raw } from 'hono/html';
import type { JSX } from 'hono/jsx/jsx-runtime';
import changelog from '../../../CHANGELOG.md';
import { CHAPTERS, type Chapter } from '../../docs/book/chapters.ts';
import type { OpenApiDocument } from '../../docs/document.ts';
import { GUIDE_CHAPTERS, guidePath } from '../../docs/guide/chapters.ts';
import openApi from '../../docs/openapi.json.txt';
import { chapterHtml, chapterPath, chapterText } from '../../docs/page/book-page.ts';
import { changelogFeed, changelogText, FEED_PATH } from '../../docs/page/changelog.ts';
import { type ClientFiles, clientsText, FILES_PATH } from '../../docs/page/clients-text.ts';
import type { Fragment } from '../../docs/page/html.ts';
import { LLMS_PATH, llmsText } from '../../docs/page/llms.ts';
import { referenceHtml } from '../../docs/page/page.ts';
import { referenceText } from '../../docs/page/reference-text.ts';
import { INDEX_PATH, indexText, SEARCH_PATH } from '../docs/search.ts';
import { MARK } from '../parts/mark.tsx';
import { DocsPage } from './docs-frame.tsx';
import { CHANGELOG, CHECKER, CLIENTS, type DocsLink, PROMISES, REFERENCE, START, TRY } from './docs-site.ts';
import { headersText, REDIRECTS, ROBOTS, TOUCH_ICON_PATH } from './for-platform.ts';
import { FrontPage } from './front-page.tsx';
import { PromisePage } from './promise-page.tsx';
import { searchSections } from './sections.ts';
import { SignaturePage } from './signature-page.tsx';
import { StartPage } from './start-page.tsx';
import { SystemPage } from './system-page.tsx';
import touchIcon from './touch-icon.png';
import { TryPage } from './try-page.tsx';

/** The sources of the pages beside the repository's own text. */
interface Given {
	readonly clients: ClientFiles;
	/** Where the source of this service is; null where its operator names no place. */
	readonly source: string | null;
}

/** By the path of its file. */
export function staticFiles({ clients, source }: Given): ReadonlyMap<string, string | Uint8Array> {
	const document = JSON.parse(openApi) as OpenApiDocument;
	const guide = GUIDE_CHAPTERS.map((chapter) => ({ ...textOf(chapter, guidePath(chapter)), summary: chapter.summary }));
	const book = CHAPTERS.map((chapter) => textOf(chapter, chapterPath(chapter)));
	const files = { ...CLIENTS, text: clientsText(clients, source) };
	const changes = { ...CHANGELOG, text: changelogText(changelog) };
	const reference = { ...REFERENCE, text: referenceText(document) };
	const texts = [...guide, files, ...book, changes];
	const pages: readonly (readonly [path: string, page: JSX.Element])[] = [
		['/index', <FrontPage />],
		[START.path, <StartPage />],
		[REFERENCE.path, textPage(REFERENCE, referenceHtml(document))],
		[CHECKER.path, <SignaturePage />],
		[PROMISES.path, <PromisePage />],
		[TRY.path, <TryPage document={document} />],
		[SEARCH_PATH, <EmptySearchPage />],
		['/docs/system', <SystemPage />],
		...texts.map((text) => [text.path, textPage(text, chapterHtml(text))] as const),
	];
	const groups = [
		['Guide', guide],
		['Reference', [reference, files, changes]],
		['The book', book],
	] as const;
	return new Map<string, string | Uint8Array>([
		...pages.map(([path, page]) => [`${path}.html`, `<!doctype html>${page}`] as const),
		...[...texts, reference].map(({ path, text }) => [`${path}.md`, chapterText({ text })] as const),
		...[...clients].map(([name, content]) => [`${FILES_PATH}/${name}`, content] as const),
		[FEED_PATH, changelogFeed(changelog)],
		[LLMS_PATH, llmsText(groups)],
		[INDEX_PATH, indexText(searchSections(document, [files, changes]))],
		['/favicon.ico', ICON],
		[TOUCH_ICON_PATH, touchIcon],
		['/robots.txt', ROBOTS],
		['/_headers', headersText()],
		['/_redirects', REDIRECTS],
	]);
}

const textOf = ({ title, text }: Omit<Chapter, 'name'>, path: string) => ({ path, title, text });

const QUICKSTART = '/docs/quickstart';

const FEED = { type: 'application/atom+xml', path: FEED_PATH };

const textPage = ({ path, title }: DocsLink, { html, contents }: Fragment) => (
	<DocsPage
		path={path}
		title={title}
		contents={contents}
		scripts={path === QUICKSTART ? ['samples.js'] : []}
		alternates={[{ type: 'text/markdown', path: `${path}.md` }, ...(path === CHANGELOG.path ? [FEED] : [])]}
	>
		{raw(html)}
	</DocsPage>
);

/** The Worker puts what is found in place of its last line (`docs/routes.tsx`). */
const EmptySearchPage = () => (
	<DocsPage path={SEARCH_PATH} title="Search">
		<h1>Search</h1>
		<p id="results" class="soft">
			Type a word: a code, a field, a header, an asset.
		</p>
	</DocsPage>
);

const ICON = [
	'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="#1d4fd7">',
	// Where the browser's own frame is dark.
	'<style>@media(prefers-color-scheme:dark){path{fill:#8fb3ff}}</style>',
	...MARK.halves.map((path, i) => `<path d="${path}"${i === 0 ? '' : ` opacity="${MARK.paler}"`}/>`),
	'</svg>',
].join('');
