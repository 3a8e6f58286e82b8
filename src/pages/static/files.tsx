/**
 * The pages that are the same for everybody, and what else the platform serves without running the Worker: the front, the
 * docs, the icon, and the headers of all (`local/static-pages.ts` writes them). Pure.
 */
import { raw } from 'hono/html';
import type { JSX } from 'hono/jsx/jsx-runtime';
import { CHAPTERS } from '../../docs/book/chapters.ts';
import type { OpenApiDocument } from '../../docs/document.ts';
import { GUIDE_CHAPTERS, guidePath } from '../../docs/guide/chapters.ts';
import openApi from '../../docs/openapi.json.txt';
import { chapterHtml, chapterPath } from '../../docs/page/book-page.ts';
import type { Fragment } from '../../docs/page/html.ts';
import { referenceHtml } from '../../docs/page/page.ts';
import { INDEX_PATH, indexText, SEARCH_PATH } from '../docs/search.ts';
import { pageHeaders } from '../headers.ts';
import { MARK } from '../parts/mark.tsx';
import { DocsPage } from './docs-frame.tsx';
import { CHECKER, type DocsLink, REFERENCE, START, TRY } from './docs-site.ts';
import { FrontPage } from './front-page.tsx';
import { searchSections } from './sections.ts';
import { SignaturePage } from './signature-page.tsx';
import { StartPage } from './start-page.tsx';
import { SystemPage } from './system-page.tsx';
import touchIcon from './touch-icon.png';
import { TryPage } from './try-page.tsx';

/** The mark at 180 px, for a phone's home screen, which takes no SVG. */
const TOUCH_ICON_PATH = '/apple-touch-icon.png';

const SHORT = 'public, max-age=300';
const DAY = 'public, max-age=86400';
const FOREVER = 'public, max-age=31536000, immutable';

/** By the path of its file. */
export function staticFiles(): ReadonlyMap<string, string | Uint8Array> {
	const document = JSON.parse(openApi) as OpenApiDocument;
	const chapters = [
		...GUIDE_CHAPTERS.map((chapter) => ({ ...chapter, path: guidePath(chapter) })),
		...CHAPTERS.map((chapter) => ({ ...chapter, path: chapterPath(chapter) })),
	];
	const pages: readonly (readonly [path: string, page: JSX.Element])[] = [
		['/index', <FrontPage />],
		[START.path, <StartPage />],
		[REFERENCE.path, textPage(REFERENCE, referenceHtml(document))],
		[CHECKER.path, <SignaturePage />],
		[TRY.path, <TryPage document={document} />],
		[SEARCH_PATH, <EmptySearchPage />],
		['/docs/system', <SystemPage />],
		...chapters.map((chapter) => [chapter.path, textPage(chapter, chapterHtml(chapter))] as const),
	];
	return new Map<string, string | Uint8Array>([
		...pages.map(([path, page]) => [`${path}.html`, `<!doctype html>${page}`] as const),
		[INDEX_PATH, indexText(searchSections(document))],
		['/favicon.ico', ICON],
		[TOUCH_ICON_PATH, touchIcon],
		['/robots.txt', ROBOTS],
		['/_headers', headersText()],
		['/_redirects', REDIRECTS],
	]);
}

const QUICKSTART = '/docs/quickstart';

const textPage = ({ path, title }: DocsLink, { html, contents }: Fragment) => (
	<DocsPage path={path} title={title} contents={contents} scripts={path === QUICKSTART ? ['samples.js'] : []}>
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

/** Orders, the cabinet and the console are nobody's search result. */
const ROBOTS = [
	'User-agent: *',
	'Disallow: /o/',
	'Disallow: /cabinet',
	'Disallow: /operator',
	'Disallow: /api/',
	'',
].join('\n');

/** An address with a slash at its end leads to the one without, as those that the Worker answers do. */
const REDIRECTS = [
	'/docs/ /docs 308',
	'/docs/:page/ /docs/:page 308',
	'/docs/book/:page/ /docs/book/:page 308',
	'',
].join('\n');

/** As the platform reads it: no path is in two rules, for it would have the headers of both. */
function headersText(): string {
	const { 'content-type': _, ...page } = pageHeaders({ cache: SHORT });
	const shared = { ...page, 'access-control-allow-origin': '*' };
	const kept = (cache: string) => ({ 'cache-control': cache, 'x-content-type-options': 'nosniff' });
	const rules: Readonly<Record<string, Readonly<Record<string, string>>>> = {
		'/': page,
		'/docs': shared,
		'/docs/*': shared,
		'/assets/*': kept(FOREVER),
		'/favicon.ico': { ...kept(DAY), 'content-type': 'image/svg+xml' },
		[TOUCH_ICON_PATH]: { ...kept(DAY), 'content-type': 'image/png' },
		'/robots.txt': kept(DAY),
	};
	return Object.entries(rules)
		.map(([path, headers]) =>
			[path, ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`), ''].join('\n'),
		)
		.join('\n');
}
