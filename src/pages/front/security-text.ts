/** `/.well-known/security.txt`: whom security researchers tell of a weakness. */
import { Hono } from 'hono';
import { DAY_SECONDS } from '../../platform/time.ts';
import type { PageEnv } from '../env.ts';

/** Less than the year that RFC 9116 advises. */
const VALID_DAYS = 180;
const HEADERS = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': `public, max-age=${DAY_SECONDS}` };

export function securityPages(): Hono<PageEnv> {
	const app = new Hono<PageEnv>();
	app.get('/.well-known/security.txt', async (c) => {
		const contact = await c.env.desk.securityContact();
		if (contact === null) return c.notFound();
		return new Response(securityText(contact, new URL(c.req.url).origin, Date.now()), { headers: HEADERS });
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
