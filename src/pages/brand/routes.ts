/**
 * `/brand/…`: a partner's logo, which the service drew itself, and the stylesheet of a colour. An address never changes what
 * it says.
 */
import { type Context, Hono } from 'hono';
import { COLOUR, LOGO_NAME } from '../../partners/partner.ts';
import type { PageEnv } from '../env.ts';
import { accentOf } from './accent.ts';

const KEPT = { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' };
/** Neither is a page: a browser that is sent there runs nothing. */
const NO_PAGE = { ...KEPT, 'content-security-policy': "default-src 'none'; sandbox" };

export function brandFiles(): Hono<PageEnv> {
	const app = new Hono<PageEnv>();
	app.get('/brand/:file', async (c) => (await fileOf(c)) ?? c.notFound());
	return app;
}

async function fileOf(c: Context<PageEnv>): Promise<Response | null> {
	const [, name = '', kind] = /^([^.]+)\.(png|css)$/.exec(c.req.param('file') ?? '') ?? [];
	if (kind === 'css' && COLOUR.test(`#${name}`)) return sent(accentCss(`#${name}`), 'text/css; charset=utf-8');
	const png = kind === 'png' && LOGO_NAME.test(name) ? await c.env.desk.logo(name) : null;
	return png && sent(png, 'image/png');
}

const sent = (body: BodyInit, type: string): Response =>
	new Response(body, { headers: { ...NO_PAGE, 'content-type': type } });

/** For what has the class `accented`. */
function accentCss(colour: string): string {
	const { light, dark } = accentOf(colour);
	return `.accented{--action:${light}}@media (prefers-color-scheme:dark){.accented{--action:${dark}}}`;
}
