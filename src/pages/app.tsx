/** The pages, mounted on Hono: which path shows what, and what all answers share. */
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { logError } from '../platform/log.ts';
import { brandFiles } from './brand/routes.ts';
import { cabinetPages } from './cabinet/routes.tsx';
import { followChoice, sayFor } from './choice.ts';
import { docsPages } from './docs/routes.tsx';
import type { PageEnv } from './env.ts';
import { securityPages } from './front/security-text.ts';
import { FailedPage, MissingPage } from './front/wrong.tsx';
import { consolePages } from './operator/routes.tsx';
import { orderPages } from './order/routes.tsx';
import { spoken } from './parts/speech.tsx';
import { render } from './render.ts';
import { solvencyPages } from './solvency/routes.tsx';
import { statusPages } from './status/routes.tsx';
import { widgetPages } from './widget/routes.tsx';

export function createPages(): Hono<PageEnv> {
	const app = new Hono<PageEnv>();
	app.use(followChoice);
	app.route('/', docsPages());
	app.route('/', securityPages());
	app.route('/', statusPages());
	app.route('/', solvencyPages());
	app.route('/', cabinetPages());
	app.route('/', consolePages());
	app.route('/', orderPages());
	app.route('/', widgetPages());
	app.route('/', brandFiles());
	app.notFound(async (c) => {
		// `/docs/` and the like: the address without the slash.
		const { pathname, search } = new URL(c.req.url);
		// A path that begins with two slashes would lead to another host.
		if (/^\/(?!\/).*\/$/.test(pathname)) return c.redirect(pathname.replace(/\/+$/, '') + search, 308);
		return render(spoken(await sayFor(c), <MissingPage />), { status: 404 });
	});
	app.onError(async (error, c) => {
		// A body that is longer than any form.
		if (error instanceof HTTPException) return error.getResponse();
		const id = crypto.randomUUID();
		logError('page_failed', error, { requestId: id, path: c.req.path });
		return render(spoken(await sayFor(c), <FailedPage id={id} />), { status: 500 });
	});
	return app;
}
