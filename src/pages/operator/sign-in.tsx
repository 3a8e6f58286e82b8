/** Signing in by the operator's token, signing out, and what people see who may not come in. */
import { drizzle } from 'drizzle-orm/d1';
import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import { markOfToken, randomToken, sha256Hex } from '../../crypto/tokens.ts';
import { log } from '../../log.ts';
import { OPERATOR, sessionAccess } from '../../partners/sign-in/access.ts';
import { InClearPage } from '../front/wrong.tsx';
import { Layout } from '../parts/layout.tsx';
import { Field, Note } from '../parts/parts.tsx';
import { doorOf } from './door.ts';
import { isFromHere, readForm, textOf } from './forms.ts';
import { consolePage } from './frame.tsx';
import { type ConsoleEnv, cookieOf, type Found, termsOf } from './operator.ts';
import { endSession, openSession, SESSION_MILLISECONDS } from './store.ts';

/** Longer than any token. */
const MOST_TOKEN = 1_000;

const SignInPage = ({ to, error }: { readonly to: string; readonly error?: string }) => (
	<Layout title="Operator console" width="narrow" links={[]}>
		<h1>Operator console</h1>
		<p>Sign in with the operator token, the one that the command line uses.</p>
		{error && (
			<Note tone="bad" alert>
				{error}
			</Note>
		)}
		<form method="post" action="/operator/sign-in">
			<input type="hidden" name="to" value={to} />
			<Field
				name="token"
				label="Operator token"
				type="password"
				autocomplete="current-password"
				required
				maxlength={MOST_TOKEN}
			/>
			<button type="submit">Sign in</button>
		</form>
		<p class="small soft">A session lasts 12 hours. It ends when you sign out, and when the token is replaced.</p>
	</Layout>
);

const ClosedPage = ({ title, children }: { readonly title: string; readonly children: string }) => (
	<Layout title={title} width="narrow" links={[]}>
		<h1>{title}</h1>
		<p>{children}</p>
		<p class="soft">
			How the console is opened is in <a href="/docs/book/operations">the operator's chapter</a>, under “The console”.
		</p>
	</Layout>
);

/** What who is not signed in sees at any address of the console. */
export function signInFirst(c: Context<ConsoleEnv>, found: Exclude<Found, { operator: unknown }>) {
	if ('inClear' in found) return refuseInClear(c, found.inClear);
	if ('closed' in found)
		return consolePage(<ClosedPage title="The console is closed">{found.closed}</ClosedPage>, { status: 403 });
	if ('refused' in found) {
		log('console_refused', { path: c.req.path, why: found.refused });
		const text = `This request was refused: ${found.refused}.`;
		return consolePage(<ClosedPage title="You are not signed in">{text}</ClosedPage>, { status: 403 });
	}
	if (c.req.method !== 'GET')
		return consolePage(
			<SignInPage to="/operator" error="You are signed out, and nothing was changed. Sign in again." />,
			{ status: 401 },
		);
	const { pathname, search } = new URL(c.req.url);
	return consolePage(<SignInPage to={pathname + search} />, { status: 401 });
}

const SENT =
	'If you have just sent the operator token, anybody on the way may have it. Replace it now: npx exchange keys plan OPERATOR_TOKEN says how.';

function refuseInClear(c: Context<ConsoleEnv>, url: URL) {
	const isSent = c.req.method === 'POST';
	if (isSent) log('console_refused', { path: c.req.path, why: 'over http' });
	return consolePage(<InClearPage url={url} home="/operator" lost={isSent ? SENT : null} />, { status: 403 });
}

/** Only back into the console, whatever the form says. */
const backTo = (to: string): string => (/^\/operator(?:[/?][\w\-/?=&%.:]*)?$/.test(to) ? to : '/operator');

export async function signIn(c: Context<ConsoleEnv>) {
	const url = new URL(c.req.url);
	const door = doorOf(c.env, url);
	// Before the form is read: nobody learns by it whether a token is right.
	if (door.kind === 'in clear') return refuseInClear(c, url);
	const form = (await readForm(c)) ?? new URLSearchParams();
	const to = backTo(textOf(form, 'to'));
	const again = (status: number, error: string, headers = {}) =>
		consolePage(<SignInPage to={to} error={error} />, { status, headers });
	if (door.kind !== 'token' || !isFromHere(c))
		return again(403, 'This sign-in was refused: open the console itself and sign in there.');
	const token = textOf(form, 'token').trim();
	const isToken = token !== '' && token.length <= MOST_TOKEN;
	const verdict = isToken ? await c.env.desk.admitsOperator(token) : 'wrong';
	if (typeof verdict === 'object') {
		log('console_refused', { path: c.req.path, why: 'too many tries' });
		const headers = { 'retry-after': String(verdict.waitSeconds) };
		return again(429, 'Too many wrong tokens came from your network. Try again in a minute.', headers);
	}
	if (verdict === 'wrong') {
		log('console_refused', { path: c.req.path, why: 'wrong token' });
		return again(403, 'This is not the operator token.');
	}
	// Always a new one: a cookie that was there before never becomes a session.
	const [secret, now] = [randomToken(), Date.now()];
	const session = { id: await sha256Hex(secret), mark: await markOfToken(token, secret) };
	const seal = await c.env.desk.sealSession(termsOf(session.id, now));
	await openSession(drizzle(c.env.DB), session, now);
	const { name, secure } = cookieOf(url);
	setCookie(c, name, [secret, now, seal].join('.'), {
		...{ path: '/', httpOnly: true, sameSite: 'Lax', secure },
		maxAge: SESSION_MILLISECONDS / 1000,
	});
	c.header('cache-control', 'no-store');
	return c.redirect(to, 303);
}

export async function signOut(c: Context<ConsoleEnv>) {
	const { session } = c.var.operator;
	if (session) {
		const one = sessionAccess({ hash: session, createdAt: Date.now() });
		// First where it stays ended, whatever the database is set back to.
		await c.env.desk.endAccess(OPERATOR, { one });
		await endSession(drizzle(c.env.DB), session);
	}
	const { name, secure } = cookieOf(new URL(c.req.url));
	deleteCookie(c, name, { path: '/', secure });
	return c.redirect('/operator', 303);
}
