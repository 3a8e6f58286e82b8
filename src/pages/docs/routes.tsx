/** The pages under `/docs`: the guide, the reference, the signature checker, the book and the search. */
import { Hono } from 'hono';
import { raw } from 'hono/html';
import { CHAPTERS } from '../../docs/book/chapters.ts';
import type { OpenApiDocument } from '../../docs/document.ts';
import { GUIDE_CHAPTERS, guidePath } from '../../docs/guide/chapters.ts';
import openApi from '../../docs/openapi.json.txt';
import { chapterHtml, chapterPath } from '../../docs/page/book-page.ts';
import type { Fragment } from '../../docs/page/html.ts';
import { referenceHtml } from '../../docs/page/page.ts';
import type { PageEnv } from '../env.ts';
import { render } from '../render.ts';
import { DocsPage } from './frame.tsx';
import { publish, publishText } from './published.ts';
import { found, type SearchIndex, searchIndex } from './search.ts';
import { SearchPage } from './search-page.tsx';
import { SignaturePage } from './signature-page.tsx';
import { CHECKER, type DocsLink, REFERENCE, SEARCH_PATH, START } from './site.ts';
import { StartPage } from './start-page.tsx';

const documentOf = (): OpenApiDocument => JSON.parse(openApi) as OpenApiDocument;

export function docsPages(): Hono<PageEnv> {
	const app = new Hono<PageEnv>();
	publish(app, START.path, () => <StartPage />);
	publish(app, REFERENCE.path, () => textPage(REFERENCE, referenceHtml(documentOf())));
	publish(app, CHECKER.path, () => <SignaturePage />);
	for (const chapter of GUIDE_CHAPTERS) {
		const path = guidePath(chapter);
		publish(app, path, () => textPage({ path, title: chapter.title }, chapterHtml(chapter)));
	}
	for (const chapter of CHAPTERS) {
		const path = chapterPath(chapter);
		publish(app, path, () => textPage({ path, title: chapter.title }, chapterHtml(chapter)));
	}
	searchPages(app);
	return app;
}

const textPage = ({ path, title }: DocsLink, { html, contents }: Fragment) => (
	<DocsPage path={path} title={title} contents={contents}>
		{raw(html)}
	</DocsPage>
);

function searchPages(app: Hono<PageEnv>): void {
	let made: SearchIndex | null = null;
	const index = (): SearchIndex => {
		made ??= searchIndex(documentOf());
		return made;
	};
	publishText(app, '/docs/search.json', 'application/json', () => JSON.stringify(index()));
	app.get(SEARCH_PATH, async (c) => {
		const query = (c.req.query('q') ?? '').slice(0, MAX_QUERY);
		return render(<SearchPage query={query} found={found(index(), query)} />);
	});
}

const MAX_QUERY = 100;
