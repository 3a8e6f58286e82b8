/** Signing in: with a passkey, or with the first one that an invitation allows. Nobody who is not in learns who is. */
import type { PasskeyRow } from '../../partners/sign-in/table.ts';
import { jsonOrNull } from '../../platform/json.ts';
import { log } from '../../platform/log.ts';
import { Layout } from '../parts/layout.tsx';
import { Field, Problem, Send } from '../parts/parts.tsx';
import { render } from '../render.ts';
import { type CabinetApp, type CabinetContext, placesOf } from './env.ts';
import { Ceremony } from './frame.tsx';
import { writeOwn } from './log.tsx';
import { type Ceremony as Asking, creationOptions, madePasskey, signingOptions, signingPasskey } from './passkeys.ts';
import { openInvitation, useInvitation } from './people.ts';
import { labelOf } from './people-text.ts';
import { endSession, noCookie, startSession } from './session.ts';

export const SIGN_IN = '/cabinet/sign-in';
export const INVITATION = '/cabinet/invitation';
/** Paths that are answered without a session. */
export const OPEN_PATHS: readonly string[] = [SIGN_IN, `${SIGN_IN}/options`, INVITATION, `${INVITATION}/options`];

const NOT_SIGNED_IN = 'That passkey does not open this cabinet, or the page was open for too long. Try again.';
const NOT_INVITED = 'This link was used already, has expired, or is not whole. Ask for a new one; each works once.';

/** The sign-in, which leads on to the page that was asked for. */
export function signInFor({ req }: CabinetContext): string {
	const { pathname, search } = new URL(req.url);
	const to = req.method === 'GET' ? withinCabinet(pathname + search) : CABINET;
	return to === CABINET ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ to })}`;
}

const CABINET = '/cabinet';

/** Only into the cabinet, whatever an address or a form says. */
const withinCabinet = (to: unknown): string =>
	typeof to === 'string' && /^\/cabinet(?:[/?][\w\-/?=&%.:+]*)?$/.test(to) ? to : CABINET;

const SignInPage = ({ problem, to = CABINET }: { readonly problem?: string; readonly to?: string }) => (
	<Layout title="Sign in" path="/cabinet" width="narrow" scripts={['passkey.js']}>
		<h1>Sign in to your cabinet</h1>
		<p>Your passkey is on your phone, your computer or your security key. There is no password.</p>
		<Problem text={problem} />
		<form method="post" action={SIGN_IN} data-ceremony={`get:${SIGN_IN}/options`}>
			<input type="hidden" name="to" value={to} />
			<Send disabled text="Sign in with a passkey" />
			<Ceremony />
		</form>
		<p class="soft small">
			You are new, or lost your passkey? The operator of this service sends you a link to make one.
		</p>
	</Layout>
);

const InvitationPage = ({ problem, label = '' }: { readonly problem?: string; readonly label?: string }) => (
	<Layout title="Your invitation" path="/cabinet" width="narrow" scripts={['passkey.js']}>
		<h1>Make your passkey</h1>
		<p>
			You were invited to a partner’s cabinet. Your device makes a passkey: from then on you sign in with your
			fingerprint, your face or your PIN.
		</p>
		<Problem text={problem} />
		<form method="post" action={INVITATION} data-ceremony={`create:${INVITATION}/options`}>
			<Field
				name="label"
				label="Name of this passkey"
				hint="So that you know it later: “Ana’s phone”. At most 64 characters."
				value={label}
				required
				maxlength={64}
				autocomplete="off"
			/>
			<input type="hidden" name="token" value="" />
			<Send disabled text="Make a passkey and sign in" />
			<Ceremony />
		</form>
	</Layout>
);

function asking(c: CabinetContext, asked: Pick<Asking, 'purpose' | 'boundTo'>): Asking {
	return { ...placesOf(c), site: c.var.site, now: Date.now(), ...asked };
}

const SIGNING_IN = { purpose: 'sign-in', boundTo: '' } as const;

/** The invitation that the form's token opens, and the ceremony by which it is accepted. */
async function invited(c: CabinetContext) {
	const asked = asking(c, { purpose: 'accept invitation', boundTo: '' });
	const { token } = await c.req.parseBody();
	const invitation = await openInvitation(asked, token, asked.now);
	return invitation && { invitation, ceremony: { ...asked, boundTo: invitation.hash } };
}

/** Anybody can ask and answer, and each time reads D1: so each network can so often in a minute. */
async function tooOften(c: CabinetContext) {
	const seconds = await c.env.desk.waitOf('/cabinet');
	if (seconds === null) return null;
	const error = `Too many tries from your network. Wait ${seconds} seconds.`;
	return { error, more: { status: 429, headers: { 'retry-after': String(seconds) } } };
}

const notSignedIn = (to = CABINET) => render(<SignInPage problem={NOT_SIGNED_IN} to={to} />, { status: 403 });

async function signIn(c: CabinetContext): Promise<Response> {
	const to = withinCabinet((await c.req.parseBody())['to']);
	const wait = await tooOften(c);
	if (wait) return render(<SignInPage problem={wait.error} to={to} />, wait.more);
	const ceremony = asking(c, SIGNING_IN);
	const passkey = await signingPasskey(ceremony, { partnerId: null, answer: await answerIn(c) });
	return passkey ? begin(c, ceremony, passkey, to) : notSignedIn(to);
}

async function accept(c: CabinetContext): Promise<Response> {
	const { label: given } = await c.req.parseBody();
	const shown = typeof given === 'string' ? given : '';
	const wait = await tooOften(c);
	if (wait)
		return render(<InvitationPage problem={`${wait.error} Then open your link again.`} label={shown} />, wait.more);
	const again = (problem: string) => render(<InvitationPage problem={problem} />, { status: 403 });
	const label = labelOf(shown);
	if (label === null) return again('Give the passkey a name of plain letters, and open your link again.');
	const open = await invited(c);
	if (!open) {
		log('cabinet_refused', { purpose: 'accept invitation', why: 'invitation' });
		return again(NOT_INVITED);
	}
	const { invitation, ceremony } = open;
	const passkey = await madePasskey(ceremony, { ...invitation, label, answer: await answerIn(c) });
	if (!passkey) return again('Your device’s answer came too late or does not fit. Open your link again.');
	if (!(await useInvitation(ceremony, invitation, passkey, ceremony.now))) return again(NOT_INVITED);
	return begin(c, ceremony, passkey, CABINET);
}

async function begin(c: CabinetContext, { db, now }: Asking, passkey: PasskeyRow, to: string): Promise<Response> {
	const cookie = await startSession(c, db, passkey, now);
	if (cookie === null) return notSignedIn();
	await writeOwn(c, passkey, { passkey: passkey.label });
	return new Response(null, { status: 303, headers: { location: to, 'set-cookie': cookie } });
}

/** The answer that the browser's script put into the form; null where it is no JSON. */
export async function answerIn(c: CabinetContext): Promise<unknown> {
	const { answer } = await c.req.parseBody();
	return typeof answer === 'string' ? jsonOrNull(answer) : null;
}

export function mountSignIn(app: CabinetApp): void {
	app.get(SIGN_IN, (c) => render(<SignInPage to={withinCabinet(c.req.query('to'))} />));
	app.get(INVITATION, () => render(<InvitationPage />));
	app.post(`${SIGN_IN}/options`, async (c) => {
		const wait = await tooOften(c);
		if (wait) return Response.json({ error: wait.error }, wait.more);
		return Response.json(await signingOptions(asking(c, SIGNING_IN), null));
	});
	app.post(SIGN_IN, signIn);
	app.post(`${INVITATION}/options`, async (c) => {
		const wait = await tooOften(c);
		if (wait) return Response.json({ error: wait.error }, wait.more);
		const open = await invited(c);
		if (!open) return Response.json({ error: NOT_INVITED }, { status: 403 });
		return Response.json(await creationOptions(open.ceremony, open.invitation));
	});
	app.post(INVITATION, accept);
	app.post('/cabinet/sign-out', async (c) => {
		const { partnerId, id } = c.var.session;
		await endSession(placesOf(c), partnerId, id);
		return new Response(null, { status: 303, headers: { location: SIGN_IN, 'set-cookie': noCookie(c.var.site) } });
	});
}
