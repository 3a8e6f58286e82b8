/** What every site has: the front, the icon, and the files that robots and security researchers look for. */
import { Hono } from 'hono';
import type { PageEnv } from '../env.ts';
import { MARK_PATHS } from '../parts/mark.tsx';
import { render } from '../render.ts';
import { FrontPage } from './front.tsx';

const DAY_SECONDS = 86_400;
const kept = (type: string) => ({ 'content-type': type, 'cache-control': `public, max-age=${DAY_SECONDS}` });

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0a54c2" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"><path d="${MARK_PATHS}"/></svg>`;

/** Orders, the cabinet and the console are nobody's search result. */
const ROBOTS = [
	'User-agent: *',
	'Disallow: /o/',
	'Disallow: /cabinet',
	'Disallow: /operator',
	'Disallow: /api/',
	'',
].join('\n');

export function frontPages(): Hono<PageEnv> {
	const app = new Hono<PageEnv>();
	app.get('/', () => render(<FrontPage />, { cache: 'public, max-age=300' }));
	app.get('/favicon.ico', () => new Response(ICON, { headers: kept('image/svg+xml') }));
	app.get('/robots.txt', () => new Response(ROBOTS, { headers: kept('text/plain; charset=utf-8') }));
	return app;
}
