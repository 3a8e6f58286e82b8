/** `/cabinet/team`: who works for the partner here, what each may do, inviting and removing them. */
import { ROLES, type Role } from '../../partners/partner.ts';
import type { InvitationRow, PasskeyRow } from '../../partners/sign-in/table.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Card, Field, Note, Send, State, Time } from '../parts/parts.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { isConfirmed, NOT_CONFIRMED } from './confirm.ts';
import { type CabinetApp, type CabinetContext, placesOf } from './env.ts';
import { cabinetPage, OwnButton, OwnForm, Said, useSession } from './frame.tsx';
import { isOf, passkeysOf } from './passkeys.ts';
import { labelOf } from './people-text.ts';
import { INVITATION } from './sign-in.tsx';
import { cancelLink, inviteMember, LINK_HOURS, openLinks, removeMember } from './team-store.ts';

const PATH = '/cabinet/team';

const WORDS: Readonly<Record<Role, string>> = {
	view: 'View: reads everything, changes nothing',
	support: 'Support: decides orders, asks for refunds, sends webhooks again',
	admin: 'Admin: everything, this team too',
};
const SHORT: Readonly<Record<Role, string>> = { view: 'View', support: 'Support', admin: 'Admin' };

const REFUSED = {
	taken: 'Not invited: somebody of your team has this name. Choose another, or remove them first.',
	full: 'Not invited: your team has as many passkeys and links as it may have. Remove one first.',
} as const;
const LAST = 'Nothing was removed: nobody else of your team is an admin. Invite another admin first.';

interface Shown {
	/** The link that was made just now, and for whom. */
	readonly invited?: { readonly link: string; readonly member: string };
	readonly problem?: string;
}

async function showTeam(c: CabinetContext, { invited, problem }: Shown = {}): Promise<Response> {
	const { session } = c.var;
	const places = placesOf(c);
	const [people, links] = await Promise.all([
		passkeysOf(places, session.partnerId),
		openLinks(places, session.partnerId, Date.now()),
	]);
	const heading = <h1>{invited ? 'Send the link now' : 'Your team'}</h1>;
	return cabinetPage(
		c,
		{ title: 'Team', heading, path: PATH, scripts: ['passkey.js'], problem },
		<>
			{invited && (
				<Note tone="warn">
					<p>
						It lets <Said text={invited.member} /> in once, within {LINK_HOURS} hours, and is not shown again. Send it
						on a way that only they read.
					</p>
					<Copyable value={invited.link} label="Link" />
				</Note>
			)}
			<Members people={people} />
			<Links links={links} />
			{session.role === 'admin' && <InviteForm />}
		</>,
	);
}

/** One line a member, whatever number of passkeys they have. */
const membersAmong = (people: readonly PasskeyRow[]) =>
	people
		.filter((one, i) => people.findIndex((other) => isOf(one, other)) === i)
		.map((one) => {
			const own = people.filter((other) => isOf(one, other));
			return { ...one, passkeys: own.length, lastUsedAt: Math.max(...own.map(({ lastUsedAt }) => lastUsedAt)) };
		});

/** A column that nobody else is shown. */
const forAdmins = <Row,>(head: string, cell: Column<Row>['cell']): Column<Row>[] =>
	useSession().role === 'admin' ? [{ head, cell }] : [];

const Members = ({ people }: { readonly people: readonly PasskeyRow[] }) => (
	<Table
		label="Members"
		rows={membersAmong(people)}
		empty="There is no member."
		columns={[
			{
				head: 'Name',
				cell: (one) => (
					<>
						<Said text={one.member} /> {isOf(one, useSession()) && <State tone="good" word="You" />}
					</>
				),
			},
			{ head: 'Role', cell: ({ role }) => SHORT[role] },
			{ head: 'Passkeys', is: 'number', cell: ({ passkeys }) => String(passkeys) },
			{ head: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
			...forAdmins('Remove', ({ member, role }: PasskeyRow) => (
				<OwnButton action={`${PATH}/remove`} confirms="passkeys" fields={{ member, role }} of={member} text="Remove" />
			)),
		]}
	/>
);

const Links = ({ links }: { readonly links: readonly InvitationRow[] }) =>
	links.length === 0 ? null : (
		<>
			<h2>Invited, and not here yet</h2>
			<Table
				label="Invitations"
				rows={links}
				empty=""
				columns={[
					{ head: 'Name', cell: ({ member }) => <Said text={member} /> },
					{ head: 'Role', cell: ({ role }) => SHORT[role] },
					{ head: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
					...forAdmins('Cancel', ({ hash, member }: InvitationRow) => (
						<OwnButton action={`${PATH}/cancel`} fields={{ hash }} of={member} text="Cancel" />
					)),
				]}
			/>
		</>
	);

const InviteForm = () => (
	<Card title="Invite somebody">
		<OwnForm action={`${PATH}/invite`} confirms="passkeys">
			<Field name="member" label="Name" hint="As your log will call them" required maxlength={64} autocomplete="off" />
			<Field name="role" label="Role" choices={WORDS} value="view" />
			<Send disabled text="Make a link with your passkey" />
		</OwnForm>
	</Card>
);

const roleIn = (text: unknown): Role | undefined => ROLES.find((role) => role === text);

async function invite(c: CabinetContext): Promise<Response> {
	const form = await c.req.parseBody();
	const [member, role] = [labelOf(String(form['member'])), roleIn(form['role'])];
	if (member === null || !role)
		return showTeam(c, { problem: 'Not invited: give a name of plain letters and a role.' });
	if (!(await isConfirmed(c, 'passkeys'))) return showTeam(c, { problem: NOT_CONFIRMED });
	const made = await inviteMember(placesOf(c), c.var.session, { member, role }, Date.now());
	if (typeof made === 'string') return showTeam(c, { problem: REFUSED[made] });
	return showTeam(c, { invited: { member, link: `${c.var.site.origin}${INVITATION}#${made.token}` } });
}

async function remove(c: CabinetContext): Promise<Response> {
	const form = await c.req.parseBody();
	const role = roleIn(form['role']);
	if (!role || !(await isConfirmed(c, 'passkeys'))) return showTeam(c, { problem: NOT_CONFIRMED });
	const person = { partnerId: c.var.session.partnerId, member: String(form['member']), role };
	return (await removeMember(placesOf(c), person, Date.now())) ? c.redirect(PATH, 303) : showTeam(c, { problem: LAST });
}

export function mountTeam(app: CabinetApp): void {
	app.get(PATH, (c) => showTeam(c));
	app.post(`${PATH}/invite`, invite);
	app.post(`${PATH}/remove`, remove);
	app.post(`${PATH}/cancel`, async (c) => {
		await cancelLink(placesOf(c), c.var.session.partnerId, String((await c.req.parseBody())['hash']));
		return c.redirect(PATH, 303);
	});
}
