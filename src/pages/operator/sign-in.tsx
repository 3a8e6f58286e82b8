/** Signing in by the operator's token, signing out, and what people see who may not come in. */
import { log } from '../../platform/log.ts';
import type { FoundOperator } from '../../ports/desk.ts';
import { InClearPage } from '../front/wrong.tsx';
import { Layout } from '../parts/layout.tsx';
import { Field, Problem, Send } from '../parts/parts.tsx';
import type { ConsoleContext } from './asking.ts';
import { isFromHere, readForm, textOf } from './forms.ts';
import { consolePage } from './frame.tsx';

/** Longer than any token. */
const MOST_TOKEN = 1_000;

const SignInPage = ({ to, error }: { readonly to: string; readonly error?: string }) => (
	<Layout title="Operator console" width="narrow" links={[]}>
		<h1>Operator console</h1>
		<p>Sign in with the operator token, the one that the command line uses.</p>
		<Problem text={error} />
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
			<Send text="Sign in" />
		</form>
		<p class="small soft">A session lasts 12 hours. It ends when you sign out, and when the token is replaced.</p>
	</Layout>
);

const ClosedPage = ({ title, children }: { readonly title: string; readonly children: string }) => (
	<Layout title={title} width="narrow" links={[]}>
		<h1>{title}</h1>
		<p>{children}</p>
		<p class="soft">
			How the console is opened is in <a href="/docs/book/run#the-console">the book</a>, under “The console”.
		</p>
	</Layout>
);

/** The page for people who are not signed in, at any address of the console. */
export function signInFirst(c: ConsoleContext, found: Exclude<FoundOperator, { operator: unknown }>) {
	if ('ask' in found && found.ask === 'https') return refuseInClear(c);
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

function refuseInClear(c: ConsoleContext) {
	const url = new URL(c.req.url);
	const isSent = c.req.method === 'POST';
	if (isSent) log('console_refused', { path: c.req.path, why: 'over http' });
	return consolePage(<InClearPage url={url} home="/operator" lost={isSent ? SENT : null} />, { status: 403 });
}

/** Only back into the console, whatever the form says. */
const backTo = (to: string): string => (/^\/operator(?:[/?][\w\-/?=&%.:]*)?$/.test(to) ? to : '/operator');

export async function signIn(c: ConsoleContext) {
	const form = (await readForm(c)) ?? new URLSearchParams();
	const to = backTo(textOf(form, 'to'));
	const again = (status: number, error: string, headers = {}) =>
		consolePage(<SignInPage to={to} error={error} />, { status, headers });
	const isOurs = isFromHere(c);
	const signedIn = await c.env.desk.signIn(isOurs ? textOf(form, 'token').trim() : '');
	if (signedIn === 'in clear') return refuseInClear(c);
	if (signedIn === 'closed' || !isOurs)
		return again(403, 'This sign-in was refused: open the console itself and sign in there.');
	if (signedIn === 'wrong') {
		log('console_refused', { path: c.req.path, why: 'wrong token' });
		return again(403, 'This is not the operator token.');
	}
	if ('waitSeconds' in signedIn) {
		log('console_refused', { path: c.req.path, why: 'too many tries' });
		const headers = { 'retry-after': String(signedIn.waitSeconds) };
		return again(429, 'Too many wrong tokens came from your network. Try again in a minute.', headers);
	}
	return withCookie(c, to, signedIn.cookie);
}

export const signOut = async (c: ConsoleContext) => withCookie(c, '/operator', await c.env.desk.signOut());

function withCookie(c: ConsoleContext, to: string, cookie: string) {
	c.header('set-cookie', cookie);
	c.header('cache-control', 'no-store');
	return c.redirect(to, 303);
}
