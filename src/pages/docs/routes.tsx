/**
 * The Worker's part of the docs, whose pages are built (`static/files.tsx`): `/docs/search?q=`, for readers without JavaScript
 * and for links, and other methods, which are refused as the API refuses them.
 */
import { Hono } from 'hono';
import { escapeHtml } from '../../docs/page/html.ts';
import type { CONSTANTS } from '../../http/refusals.ts';
import type { PageEnv } from '../env.ts';
import { pageHeaders } from '../headers.ts';
import { type Found, found, INDEX_PATH, readIndex, SEARCH_PATH, type SearchIndex } from './search.ts';

const MAX_QUERY = 100;
const METHODS = 'GET, HEAD, OPTIONS';
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const PREFLIGHT = {
	'access-control-allow-origin': '*',
	'access-control-allow-methods': METHODS,
	'access-control-allow-headers': 'if-none-match',
};

/** As the API says it. Its types alone: the table of all refusals is two kilobytes of the bundle. */
const WRONG_METHOD: {
	readonly code: (typeof CONSTANTS)['INVALID_REQUEST']['code'];
	readonly msg: keyof typeof CONSTANTS;
} = { code: 1, msg: 'INVALID_REQUEST' };
const REFUSED = { status: 405, headers: { allow: METHODS, 'cache-control': 'no-store' } };

export function docsPages(): Hono<PageEnv> {
	const app = new Hono<PageEnv>();
	// The index is kept and not its promise: a promise belongs to the request that made it, and ends with that request.
	let kept: SearchIndex | null = null;
	app.get(SEARCH_PATH, async ({ env: { ASSETS }, req }) => {
		const built = (path: string) => ASSETS.fetch(new URL(path, req.url));
		kept ??= readIndex(await (await built(INDEX_PATH)).text());
		const query = (req.query('q') ?? '').slice(0, MAX_QUERY);
		const page = await built(SEARCH_PATH);
		return query.trim() === '' ? shown(page) : shown(withResults(page, query, found(kept, query)));
	});
	app.options('/docs/*', () => new Response(null, { status: 204, headers: PREFLIGHT }));
	app.all('/docs/*', (c, next) =>
		READS.has(c.req.method) ? next() : Promise.resolve(Response.json(WRONG_METHOD, REFUSED)),
	);
	return app;
}

/** A page about what somebody has searched for, which no cache keeps. */
const shown = ({ body }: Response): Response => new Response(body, { headers: pageHeaders() });

const withResults = (page: Response, query: string, sections: readonly Found[]): Response =>
	new HTMLRewriter()
		// It escapes quotation marks alone.
		.on('search input', { element: (field) => void field.setAttribute('value', escapeHtml(query)) })
		.on('#results', {
			element: (line) => void line.replace(String(<Results query={query} sections={sections} />), { html: true }),
		})
		.transform(page);

const Results = ({ query, sections }: { readonly query: string; readonly sections: readonly Found[] }) => (
	<>
		<p class="soft">{said(query, sections.length)}</p>
		<ul class="results">
			{sections.map(({ path, page, heading, excerpt }) => (
				<li>
					<a href={path}>{heading}</a>
					{heading !== page && <small class="soft">{` ${page}`}</small>}
					<p class="small soft">{excerpt}</p>
				</li>
			))}
		</ul>
	</>
);

function said(query: string, count: number): string {
	if (count === 0) return `Nothing found for “${query}”. Try fewer or shorter words.`;
	return `${count === 1 ? 'One section' : `${count} sections`} for “${query}”, the best first.`;
}
