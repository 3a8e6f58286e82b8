/** `/cabinet/access`: the partner's passkeys and sessions. */
import { sessionAccess, stillOpen } from '../../partners/sign-in/access.ts';
import type { PasskeyRow } from '../../partners/sign-in/table.ts';
import { Card, Field, Send, State, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { ceremonyOf, isConfirmed, NOT_CONFIRMED } from './confirm.ts';
import { type CabinetApp, type CabinetContext, placesOf, type Session } from './env.ts';
import { cabinetPage, OwnButton, OwnForm, Said, useSession } from './frame.tsx';
import { creationOptions, isOf, MAX_PASSKEYS, madePasskey, passkeysOf } from './passkeys.ts';
import { addPasskey, removePasskey } from './people.ts';
import { deviceOf, labelOf } from './people-text.ts';
import { endOtherSessions, endSession } from './session.ts';
import { answerIn, SIGN_IN } from './sign-in.tsx';
import { liveSessions } from './store.ts';

const PATH = '/cabinet/access';
const NOT_ADDED = `Nothing was added: the device has a passkey for this cabinet already, or there are ${MAX_PASSKEYS}.`;
const KEPT =
	'Nothing was removed: it is the last passkey of an admin, and nobody could invite without it. Add another first.';
const NOT_YOURS = 'Nothing was changed: it is not yours. Ask an admin of your team.';

/** Admins end what they like, others what is theirs. */
const mayEnd = (session: Session, passkey: PasskeyRow): boolean => session.role === 'admin' || isOf(passkey, session);

async function showAccess(c: CabinetContext, problem: string | null = null): Promise<Response> {
	const { session } = c.var;
	const { db, desk } = placesOf(c);
	const [passkeys, sessions] = await Promise.all([
		passkeysOf({ db, desk }, session.partnerId),
		liveSessions(db, session.partnerId, Date.now()).then((rows) =>
			stillOpen((asked) => desk.hasEnded(session.partnerId, asked), rows, sessionAccess),
		),
	]);
	const seenPasskeys = passkeys.filter((one) => mayEnd(session, one));
	const seenSessions = sessions.filter(({ passkeyId }) => seenPasskeys.some(({ id }) => id === passkeyId));
	return cabinetPage(
		c,
		{ title: 'Access', heading: <h1>Who can sign in</h1>, path: PATH, scripts: ['passkey.js'], problem },
		<>
			<Passkeys passkeys={seenPasskeys} />
			<Sessions sessions={seenSessions} passkeys={seenPasskeys} />
			{session.role === 'admin' && <OwnButton action={`${PATH}/sessions/end-others`} text="End all other sessions" />}
		</>,
	);
}

const Passkeys = ({ passkeys }: { readonly passkeys: readonly PasskeyRow[] }) => (
	<>
		<h2>Passkeys</h2>
		<Table
			label="Passkeys"
			rows={passkeys}
			empty="There is no passkey."
			columns={[
				{ head: 'Name', cell: ({ label }) => <Said text={label} /> },
				{ head: 'Member', cell: ({ member }) => <Said text={member} /> },
				{ head: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
				{ head: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
				{
					head: 'Remove',
					cell: ({ id, label }) => (
						<OwnButton
							action={`${PATH}/passkeys/remove`}
							confirms="passkeys"
							fields={{ id }}
							of={label}
							text="Remove"
						/>
					),
				},
			]}
		/>
		<Card title="Add a passkey">
			<p>
				For a second device of yours: it lets in whoever holds it as you. First you confirm with the passkey that you
				have. Invite colleagues <a href="/cabinet/team">to your team</a> instead.
			</p>
			<OwnForm action={`${PATH}/passkeys`} confirms="passkeys" creates={`${PATH}/passkeys/options`}>
				<Field name="label" label="Name" required maxlength={64} autocomplete="off" />
				<Send disabled text="Add a passkey" />
			</OwnForm>
		</Card>
	</>
);

interface SessionsProps {
	readonly sessions: Awaited<ReturnType<typeof liveSessions>>;
	readonly passkeys: readonly PasskeyRow[];
}

const Sessions = ({ sessions, passkeys }: SessionsProps) => (
	<>
		<h2>Sessions</h2>
		<Table
			label="Sessions"
			rows={sessions}
			empty="There is no session."
			columns={[
				{
					head: 'Device',
					cell: ({ id, userAgent }) => (
						<>
							{deviceOf(userAgent)} {id === useSession().id && <State tone="good" word="This one" />}
						</>
					),
				},
				{
					head: 'Passkey',
					cell: ({ passkeyId }) => {
						const passkey = passkeys.find(({ id }) => id === passkeyId);
						return <Said text={passkey ? `${passkey.label}, ${passkey.member}` : ''} />;
					},
				},
				{ head: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
				{ head: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
				{ head: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
				{ head: 'End', cell: ({ id }) => <OwnButton action={`${PATH}/sessions/end`} fields={{ id }} text="End" /> },
			]}
		/>
	</>
);

const back = (c: CabinetContext) => c.redirect(PATH, 303);

async function add(c: CabinetContext): Promise<Response> {
	const { label: given } = await c.req.parseBody();
	const label = labelOf(typeof given === 'string' ? given : '');
	if (label === null) return showAccess(c, 'Give the passkey a name of plain letters.');
	const { session } = c.var;
	const { partnerId, member, role } = session;
	const ceremony = await ceremonyOf(c, 'add passkey');
	const passkey = await madePasskey(ceremony, { partnerId, member, role, label, answer: await answerIn(c) });
	if (!passkey) return showAccess(c, NOT_CONFIRMED);
	return (await addPasskey(ceremony.db, session, passkey, ceremony.now)) ? back(c) : showAccess(c, NOT_ADDED);
}

async function remove(c: CabinetContext): Promise<Response> {
	const { id } = await c.req.parseBody();
	if (!(await isConfirmed(c, 'passkeys'))) return showAccess(c, NOT_CONFIRMED);
	const { partnerId } = c.var.session;
	const places = placesOf(c);
	const named = (await passkeysOf(places, partnerId)).find((one) => one.id === id);
	if (named && !mayEnd(c.var.session, named)) return showAccess(c, NOT_YOURS);
	const removed = await removePasskey(places, { partnerId, passkeyId: String(id) }, Date.now());
	return removed ? back(c) : showAccess(c, KEPT);
}

export function mountAccess(app: CabinetApp): void {
	app.get(PATH, (c) => showAccess(c));
	// Only a passkey that is there already lets another one be made.
	app.post(`${PATH}/passkeys/options`, async (c) => {
		if (!(await isConfirmed(c, 'passkeys'))) return Response.json({ error: NOT_CONFIRMED }, { status: 403 });
		return Response.json(await creationOptions(await ceremonyOf(c, 'add passkey'), c.var.session));
	});
	app.post(`${PATH}/passkeys`, add);
	app.post(`${PATH}/passkeys/remove`, remove);
	app.post(`${PATH}/sessions/end`, async (c) => {
		const { id } = await c.req.parseBody();
		const { session } = c.var;
		const { db, desk } = placesOf(c);
		const passkeys = (await passkeysOf({ db, desk }, session.partnerId)).filter((one) => mayEnd(session, one));
		const sessions = await liveSessions(db, session.partnerId, Date.now());
		const named = sessions.find((one) => one.id === id);
		if (named && !passkeys.some((one) => one.id === named.passkeyId)) return showAccess(c, NOT_YOURS);
		await endSession({ db, desk }, session.partnerId, String(id));
		return id === session.id ? c.redirect(SIGN_IN, 303) : back(c);
	});
	app.post(`${PATH}/sessions/end-others`, async (c) => {
		await endOtherSessions(placesOf(c), c.var.session, Date.now());
		return back(c);
	});
}
