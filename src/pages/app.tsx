/** The pages, mounted on Hono: which path shows what, and what all answers share. */
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { logError } from '../platform/log.ts';
import { DAY_SECONDS } from '../platform/time.ts';
import { assetAt } from './assets.ts';
import { cabinetPages } from './cabinet/routes.tsx';
import { docsPages } from './docs/routes.tsx';
import type { PageEnv, PagesEnv } from './env.ts';
import { frontPages } from './front/routes.tsx';
import { FailedPage, MissingPage } from './front/wrong.tsx';
import { consolePages } from './operator/routes.tsx';
import { orderPages } from './order/routes.tsx';
import { systemPage } from './parts/system.tsx';
import { render } from './render.ts';
import { statusPages } from './status/routes.tsx';

/** For how long a browser that was here over https comes back over nothing else (RFC 6797). */
const YEAR_SECONDS = 365 * DAY_SECONDS;

/** Without a desk it is asked for pages that are the same for everybody alone. */
export function createPages(): (
	request: Request,
	env: PagesEnv & Partial<PageEnv['Bindings']>,
	ctx: ExecutionContext,
) => Promise<Response> {
	const app = new Hono<PageEnv>();
	app.get('/assets/*', (c) => assetAt(c.req.path) ?? render(MissingPage(), { status: 404 }));
	app.get('/docs/system', () => render(systemPage()));
	app.route('/', docsPages());
	app.route('/', frontPages());
	app.route('/', statusPages());
	app.route('/', cabinetPages());
	app.route('/', consolePages());
	app.route('/', orderPages());
	app.notFound((c) => {
		// `/docs/` and the like: the address without the slash.
		const { pathname, search } = new URL(c.req.url);
		// A path that begins with two slashes would lead to another host.
		if (/^\/(?!\/).*\/$/.test(pathname)) return c.redirect(pathname.replace(/\/+$/, '') + search, 308);
		return render(MissingPage(), { status: 404 });
	});
	app.onError((error, c) => {
		// A body that is longer than any form.
		if (error instanceof HTTPException) return error.getResponse();
		const id = crypto.randomUUID();
		logError('page_failed', error, { requestId: id, path: c.req.path });
		return render(FailedPage({ id }), { status: 500 });
	});
	return async (request, env, ctx) => {
		const response = await app.fetch(request, env, ctx);
		if (request.url.startsWith('https:')) response.headers.set('strict-transport-security', `max-age=${YEAR_SECONDS}`);
		return response;
	};
}
