/**
 * The partner cabinet. Two guards stand before every page: a change comes from a page of this site and has the token of
 * its session, and a caller without a session sees the sign-in alone. A page asks the store and the desk only for
 * the partner of the session.
 */
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { databaseOf } from '../../platform/d1/database.ts';
import { log } from '../../platform/log.ts';
import type { PageEnv } from '../env.ts';
import { formOf } from '../form.ts';
import { InClearPage } from '../front/wrong.tsx';
import { Layout } from '../parts/layout.tsx';
import { render } from '../render.ts';
import { mountAccess } from './access.tsx';
import { APPEARANCE_LOOK, mountAppearance } from './appearance.tsx';
import { mountCodes } from './codes.tsx';
import { confirmOptions } from './confirm.ts';
import { mountCredentials } from './credentials.tsx';
import type { CabinetEnv } from './env.ts';
import { mountKeys } from './keys.tsx';
import { showLimits } from './limits.tsx';
import { mountLog, noteOwn } from './log.tsx';
import { mountOrders } from './orders.tsx';
import { overview } from './overview.tsx';
import { mountEarnings } from './payout.tsx';
import { mayDo } from './roles.ts';
import { currentSession, isFormTokenOf } from './session.ts';
import { mountSettings } from './settings.tsx';
import { mountSignIn, OPEN_PATHS, signInFor } from './sign-in.tsx';
import { isFromHere, named, siteOf } from './site.ts';
import { mountTeam } from './team.tsx';
import { mountWebhooks } from './webhooks.tsx';

const MAX_BODY_BYTES = 32 * 1024;
/** A form with a logo. */
const MAX_FILE_BODY_BYTES = 300 * 1024;
const MAY_CHANGE: ReadonlySet<string> = new Set(['POST']);
const MAY_READ: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export function cabinetPages(): Hono<PageEnv> {
	const app = new Hono<CabinetEnv>();
	app.use('/cabinet/*', guardSite, limitBody, guardForm, guardSession);
	app.get('/cabinet', overview);
	app.get('/cabinet/limits', showLimits);
	app.post('/cabinet/confirm/options', confirmOptions);
	mountSignIn(app);
	mountOrders(app);
	mountEarnings(app);
	mountCodes(app);
	mountWebhooks(app);
	mountCredentials(app);
	mountKeys(app);
	mountSettings(app);
	mountTeam(app);
	mountLog(app);
	mountAppearance(app);
	mountAccess(app);
	return app as unknown as Hono<PageEnv>;
}

const limited = (maxSize: number) => bodyLimit({ maxSize, onError: () => refusal(413, 'What was sent is too large.') });
const [small, large] = [limited(MAX_BODY_BYTES), limited(MAX_FILE_BODY_BYTES)];

const limitBody: MiddlewareHandler<CabinetEnv> = (c, next) => (c.req.path === APPEARANCE_LOOK ? large : small)(c, next);

/** The address has a name and is not in clear; a change comes from here. */
const guardSite: MiddlewareHandler<CabinetEnv> = async (c, next) => {
	const url = new URL(c.req.url);
	const site = siteOf(url);
	if (!site) return render(<InClearPage url={url} home="/cabinet" />, { status: 403 });
	const { method } = c.req;
	const there = named(url);
	if (there !== null && MAY_READ.has(method)) return c.redirect(there, 302);
	if (!MAY_READ.has(method) && !MAY_CHANGE.has(method)) return refusal(405);
	if (MAY_CHANGE.has(method) && !isFromHere(site, c.req.raw.headers)) {
		log('cabinet_refused', { purpose: c.req.path, why: 'another site' });
		return refusal(403);
	}
	c.set('site', site);
	return next();
};

const guardForm: MiddlewareHandler<CabinetEnv> = async (c, next) => {
	if (MAY_CHANGE.has(c.req.method) && !(await formOf(c))) return refusal(400, 'The form could not be read.');
	return next();
};

/** Also paths that are nothing ask for a session first, so nobody learns what there is. */
const guardSession: MiddlewareHandler<CabinetEnv> = async (c, next) => {
	if (OPEN_PATHS.includes(c.req.path)) return next();
	const session = await currentSession(c, databaseOf(c.env), Date.now());
	if (!session) return c.redirect(signInFor(c), 303);
	if (MAY_CHANGE.has(c.req.method) && !isFormTokenOf(session, (await c.req.parseBody())['form'])) {
		log('cabinet_refused', { purpose: c.req.path, why: 'form token' });
		return refusal(403);
	}
	c.set('session', session);
	if (!MAY_CHANGE.has(c.req.method)) return next();
	if (!mayDo(session.role, c.req.path)) {
		log('cabinet_refused', { purpose: c.req.path, why: 'role' });
		return refusal(403, `Your role, ${session.role}, may not do this. Ask an admin of your team.`);
	}
	await next();
	if (c.res.status < 400) await noteOwn(c);
	return undefined;
};

const refusal = (status: number, text = 'It did not come from a page of this cabinet, or the page is too old.') =>
	render(
		<Layout title="Refused" path="/cabinet" width="narrow">
			<h1>Nothing was changed</h1>
			<p>{text}</p>
			<p>
				<a href="/cabinet">Open the cabinet</a>
			</p>
		</Layout>,
		{ status },
	);
