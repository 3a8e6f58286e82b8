/** Pages that every site has: the front, the icon, and the files that robots and security researchers look for. */
import { Hono } from 'hono';
import { DAY_SECONDS } from '../../platform/time.ts';
import type { PageEnv } from '../env.ts';
import { MARK_PATHS } from '../parts/mark.tsx';
import { render } from '../render.ts';
import { FrontPage } from './front.tsx';

/** Less than the year that RFC 9116 advises. */
const VALID_DAYS = 180;
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
	app.get('/.well-known/security.txt', async (c) => {
		const contact = await c.env.desk.securityContact();
		if (contact === null) return c.notFound();
		return new Response(securityText(contact, new URL(c.req.url).origin, Date.now()), {
			headers: kept('text/plain; charset=utf-8'),
		});
	});
	return app;
}

/** RFC 9116. It is made at each request, so it never expires while the service runs. */
function securityText(contact: string, origin: string, now: number): string {
	const expires = new Date(now + VALID_DAYS * DAY_SECONDS * 1000).toISOString();
	const lines = [
		`Contact: ${contact}`,
		`Expires: ${expires}`,
		`Canonical: ${origin}/.well-known/security.txt`,
		'Preferred-Languages: en',
	];
	return `${lines.join('\n')}\n`;
}
