/** `/cabinet/access`: the partner's passkeys and sessions. */
import type { Hono } from 'hono';
import { sessionAccess, stillOpen } from '../../partners/sign-in/access.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { Card, Field, Problem, Send, Time } from '../parts/parts.tsx';
import { State } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { render } from '../render.ts';
import { ceremonyOf, isConfirmed, NOT_CONFIRMED } from './confirm.ts';
import type { CabinetContext, CabinetEnv, Session } from './env.ts';
import { Cabinet, CONFIRMED, OwnForm, Said } from './frame.tsx';
import { creationOptions, MAX_PASSKEYS, madePasskey, passkeysOf } from './passkeys.ts';
import { addPasskey, removePasskey } from './people.ts';
import { deviceOf, labelOf, seen } from './people-text.ts';
import { endOtherSessions, endSession } from './session.ts';
import { answerIn, SIGN_IN } from './sign-in.tsx';
import { liveSessions } from './store.ts';

const PATH = '/cabinet/access';
const NOT_ADDED = `Nothing was added: the device has a passkey for this cabinet already, or there are ${MAX_PASSKEYS}.`;
const KEPT = 'Nothing was removed: it is the last passkey, and nobody could sign in without it. Add another first.';

async function showAccess(c: CabinetContext, problem: string | null = null): Promise<Response> {
	const { session } = c.var;
	const { desk } = c.env;
	const db = databaseOf(c.env);
	const [passkeys, sessions] = await Promise.all([
		passkeysOf({ db, desk }, session.partnerId),
		liveSessions(db, session.partnerId, Date.now()).then((rows) =>
			stillOpen((asked) => desk.hasEnded(session.partnerId, asked), rows, sessionAccess),
		),
	]);
	const labels = new Map(passkeys.map(({ id, label }) => [id, label]));
	return render(
		<Cabinet session={session} title="Access" path={PATH} scripts={['passkey.js']}>
			<h1>Who can sign in</h1>
			<Problem text={problem} />
			<Passkeys session={session} passkeys={passkeys} />
			<Sessions session={session} sessions={sessions} labels={labels} />
			<OwnForm session={session} action={`${PATH}/sessions/end-others`}>
				<Send class="plain" text="End all other sessions" />
			</OwnForm>
		</Cabinet>,
		problem === null ? {} : { status: 403 },
	);
}

interface PasskeysProps {
	readonly session: Session;
	readonly passkeys: Awaited<ReturnType<typeof passkeysOf>>;
}

const Passkeys = ({ session, passkeys }: PasskeysProps) => (
	<>
		<h2>Passkeys</h2>
		<Table
			label="Passkeys"
			rows={passkeys}
			empty="There is no passkey."
			columns={[
				{ head: 'Name', cell: ({ label }) => <Said text={label} /> },
				{ head: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
				{ head: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
				{
					head: 'Remove',
					cell: ({ id, label }) => (
						<OwnForm session={session} action={`${PATH}/passkeys/remove`} ceremony={CONFIRMED}>
							<input type="hidden" name="confirms" value="passkeys" />
							<input type="hidden" name="id" value={id} />
							<Send class="plain" disabled aria-label={`Remove ${seen(label)}`} text="Remove" />
						</OwnForm>
					),
				},
			]}
		/>
		<Card title="Add a passkey">
			<p>
				For a second device, or for a colleague who is beside you. First you confirm with the passkey that you have.
			</p>
			<OwnForm session={session} action={`${PATH}/passkeys`} ceremony={`${CONFIRMED} create:${PATH}/passkeys/options`}>
				<input type="hidden" name="confirms" value="passkeys" />
				<Field name="label" label="Name" required maxlength={64} autocomplete="off" />
				<Send disabled text="Add a passkey" />
			</OwnForm>
		</Card>
	</>
);

interface SessionsProps {
	readonly session: Session;
	readonly sessions: Awaited<ReturnType<typeof liveSessions>>;
	/** The passkeys' labels, by id. */
	readonly labels: ReadonlyMap<string, string>;
}

const Sessions = ({ session, sessions, labels }: SessionsProps) => (
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
							{deviceOf(userAgent)} {id === session.id && <State tone="good" word="This one" />}
						</>
					),
				},
				{ head: 'Passkey', cell: ({ passkeyId }) => <Said text={labels.get(passkeyId) ?? ''} /> },
				{ head: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
				{ head: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
				{ head: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
				{
					head: 'End',
					cell: ({ id }) => (
						<OwnForm session={session} action={`${PATH}/sessions/end`}>
							<input type="hidden" name="id" value={id} />
							<Send class="plain" text="End" />
						</OwnForm>
					),
				},
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
	const { partnerId } = session;
	const ceremony = await ceremonyOf(c, 'add passkey');
	const passkey = await madePasskey(ceremony, { partnerId, label, answer: await answerIn(c) });
	if (!passkey) return showAccess(c, NOT_CONFIRMED);
	return (await addPasskey(ceremony.db, session, passkey, ceremony.now)) ? back(c) : showAccess(c, NOT_ADDED);
}

async function remove(c: CabinetContext): Promise<Response> {
	const { id } = await c.req.parseBody();
	if (!(await isConfirmed(c, 'passkeys'))) return showAccess(c, NOT_CONFIRMED);
	const { partnerId } = c.var.session;
	const removed = await removePasskey(
		{ db: databaseOf(c.env), desk: c.env.desk },
		{ partnerId, passkeyId: String(id) },
		Date.now(),
	);
	return removed ? back(c) : showAccess(c, KEPT);
}

export function mountAccess(app: Hono<CabinetEnv>): void {
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
		await endSession(databaseOf(c.env), c.env.desk, session.partnerId, String(id));
		return id === session.id ? c.redirect(SIGN_IN, 303) : back(c);
	});
	app.post(`${PATH}/sessions/end-others`, async (c) => {
		await endOtherSessions(databaseOf(c.env), c.env.desk, c.var.session, Date.now());
		return back(c);
	});
}
