/** Pages on their way to a browser: what only the API Worker knows is put into them. */
import type { Context } from 'hono';
import { worldOf } from '../chains/configuration.ts';
import { DAY_SECONDS } from '../platform/time.ts';
import { readMarket } from '../pricing/market-reader.ts';
import { type HonoEnv, refused } from './serve.ts';

/** Pages that are the same for everybody: they need no desk, and the platform serves those that are built. */
export const SHARED_PATHS = [
	'/',
	'/docs/*',
	'/assets/*',
	'/widget.js',
	'/favicon.ico',
	'/apple-touch-icon.png',
	'/robots.txt',
	'/llms.txt',
];

/** The paths that the pages Worker answers. */
export const PAGE_PATHS = [
	'/',
	'/o/*',
	'/brand/*',
	'/widget/*',
	'/cabinet/*',
	'/operator/*',
	'/status',
	'/status.json',
	'/solvency',
	'/solvency.json',
	'/solvency-heads.json',
	'/assets/*',
	'/docs/*',
	'/favicon.ico',
	'/apple-touch-icon.png',
	'/robots.txt',
	'/llms.txt',
	'/.well-known/security.txt',
];

/** As `fetch`, before which the platform looks for a built page; a copy, because what comes from there cannot be changed. */
export async function showShared(c: Context<HonoEnv>): Promise<Response> {
	if (!c.env.PAGES) return refused(c, { kind: 'unknown-path' });
	const shown = await c.env.PAGES.fetch(c.req.raw);
	return overHttps(c, withSandbox(c, await withService(c, new Response(shown.body, shown))));
}

const isHtml = (page: Response): boolean => page.headers.get('content-type')?.startsWith('text/html') ?? false;

const SHOWN = { element: (part: Element) => void part.removeAttribute('hidden') };

/** The docs lead to the public sandbox beside this service, where there is one. */
function withSandbox({ env: { SANDBOX_URL: url } }: Context<HonoEnv>, page: Response): Response {
	if (!url || !isHtml(page)) return page;
	return new HTMLRewriter()
		.on('.public-sandbox', SHOWN)
		.on('.public-sandbox a', { element: (link) => void link.setAttribute('href', `${url}/docs/try`) })
		.transform(page);
}

/**
 * Every page has the words for it, in its own language, and shows them where that is so: that coins are not real, and where what is
 * owed and held is published.
 */
export async function withService({ env, executionCtx }: Context<HonoEnv>, page: Response): Promise<Response> {
	if (!isHtml(page)) return page;
	const market = await readMarket(env, Date.now(), (work) => executionCtx.waitUntil(work));
	const shown = [
		...(worldOf(env) === 'main' ? [] : ['aside.banner']),
		...(market?.settings.provesSolvency ? ['.solvency'] : []),
	];
	if (shown.length === 0) return page;
	return new HTMLRewriter().on(shown.join(), SHOWN).transform(page);
}

/** For how long a browser that was here over https comes back over nothing else (RFC 6797). */
const YEAR_SECONDS = 365 * DAY_SECONDS;

export function overHttps({ req }: Context<HonoEnv>, page: Response): Response {
	if (req.url.startsWith('https:')) page.headers.set('strict-transport-security', `max-age=${YEAR_SECONDS}`);
	return page;
}
