/** `/cabinet/keys`: scoped keys: which there are, a new one, and revoking one. */
import * as z from 'zod/mini';
import type { KeyKind } from '../../partners/partner.ts';
import { DAY_SECONDS } from '../../platform/time.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Card, Fields, Note, Send, State, Time, UNFILLED } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { isConfirmed, NOT_CONFIRMED } from './confirm.ts';
import type { CabinetApp, CabinetContext } from './env.ts';
import { cabinetPage, OwnButton, OwnForm, Said } from './frame.tsx';

const PATH = '/cabinet/keys';
const API = '/api/v1/keys';
const MAX_TYPED = 1_000;
const DAYS = /^\d{1,4}$/;
/** The contract's code where a limit is reached. */
const LIMIT_REACHED = 13;
const FULL = 'Not made: you have as many keys as you may have. Revoke one first.';
const WRONG = 'Not made: check the label, the addresses and the days.';

const KINDS: Readonly<Record<KeyKind, string>> = {
	app: 'App: quotes, creates, reads its own orders',
	read: 'Read: reads everything, changes nothing',
	server: 'Server: all but making keys',
};

const keySchema = z.object({
	id: z.string(),
	kind: z.string(),
	label: z.string(),
	apiKey: z.string(),
	addresses: z.array(z.string()),
	expiresAt: z.nullable(z.number()),
	createdAt: z.number(),
	lastUsedAt: z.nullable(z.number()),
});
const madeSchema = z.extend(keySchema, { apiSecret: z.string() });
type Key = z.infer<typeof keySchema>;
type Made = z.infer<typeof madeSchema>;

interface Shown {
	readonly made?: Made;
	readonly problem?: string;
}

async function showKeys(c: CabinetContext, { made, problem }: Shown = {}): Promise<Response> {
	const { session } = c.var;
	const { data } = await c.env.desk.callAs(session.partnerId, API, null, 'GET');
	const heading = made && <h1>Store the new key now</h1>;
	return cabinetPage(
		c,
		{ title: 'Keys', heading, path: PATH, scripts: ['passkey.js'], problem },
		<>
			{made && <NewKey {...made} />}
			<p>
				Beside <a href="/cabinet/credentials">your first key</a>, which may do everything, you can give each place a key
				that may do less. <a href="/docs/keys">Which key belongs where</a>
			</p>
			<KeyTable keys={z.array(keySchema).parse(data)} now={Date.now()} />
			<KeyForm />
		</>,
	);
}

const NewKey = ({ label, apiKey, apiSecret }: Made) => (
	<Note tone="warn">
		<p>
			The secret of <Said text={label} /> is not shown again.
		</p>
		<div class="stack">
			<h2>apiKey</h2>
			<Copyable value={apiKey} label="apiKey" />
			<h2>apiSecret</h2>
			<Copyable value={apiSecret} label="apiSecret" />
		</div>
	</Note>
);

interface TableProps {
	readonly keys: readonly Key[];
	/** Unix milliseconds. */
	readonly now: number;
}

const KeyTable = ({ keys, now }: TableProps) => (
	<Table
		label="Keys"
		rows={keys}
		empty="No key yet: all your calls are signed with your first key."
		columns={[
			{ head: 'Label', cell: ({ label }) => <Said text={label} /> },
			{ head: 'Kind', cell: ({ kind }) => kind },
			{ head: 'apiKey', is: 'wrap', cell: ({ apiKey }) => <code>{apiKey}</code> },
			{ head: 'From', is: 'wrap', cell: ({ addresses }) => addresses.join(', ') || 'anywhere' },
			{
				head: 'Last used',
				cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time at={lastUsedAt * 1000} />),
			},
			{
				head: 'Ends',
				cell: ({ expiresAt }) =>
					expiresAt === null ? (
						'never'
					) : expiresAt * 1000 <= now ? (
						<State tone="plain" word="Expired" />
					) : (
						<Time at={expiresAt * 1000} />
					),
			},
			{
				head: 'Revoke',
				cell: ({ id, label }) => (
					<OwnButton action={`${PATH}/revoke`} confirms="keys" fields={{ id }} of={label} text="Revoke" />
				),
			},
		]}
	/>
);

const FIELDS = [
	{ name: 'kind', label: 'Kind', choices: KINDS },
	{ name: 'label', label: 'Label', hint: 'For you; up to 64 characters', required: true, maxlength: 64, ...UNFILLED },
	{
		name: 'addresses',
		label: 'Addresses',
		hint: 'Where its calls may come from, as 192.0.2.0/24 or 2001:db8::/32, with commas between; empty: anywhere',
		...UNFILLED,
	},
	{ name: 'days', label: 'Days', hint: 'The key ends after so many days; empty: never', inputmode: 'numeric' },
] as const;

const KeyForm = () => (
	<Card title="New key">
		<OwnForm action={PATH} confirms="keys">
			<Fields fields={FIELDS} />
			<Send disabled text="Make the key with your passkey" />
		</OwnForm>
	</Card>
);

async function make(c: CabinetContext): Promise<Response> {
	const form = await c.req.parseBody();
	const textIn = (name: string) => String(form[name] ?? '').slice(0, MAX_TYPED);
	const days = textIn('days').trim();
	if (days !== '' && !DAYS.test(days)) return showKeys(c, { problem: WRONG });
	if (!(await isConfirmed(c, 'keys'))) return showKeys(c, { problem: NOT_CONFIRMED });
	const input = {
		kind: textIn('kind'),
		label: textIn('label').trim(),
		addresses: textIn('addresses')
			.split(/[\s,]+/)
			.filter(Boolean),
		...(days !== '' && { expiresAt: Math.floor(Date.now() / 1000) + Number(days) * DAY_SECONDS }),
	};
	const answer = await c.env.desk.callAs(c.var.session.partnerId, API, input, 'POST');
	if (answer.code === LIMIT_REACHED) return showKeys(c, { problem: FULL });
	return showKeys(c, answer.code === 0 ? { made: madeSchema.parse(answer.data) } : { problem: WRONG });
}

async function revoke(c: CabinetContext): Promise<Response> {
	const { id } = await c.req.parseBody();
	if (!(await isConfirmed(c, 'keys'))) return showKeys(c, { problem: NOT_CONFIRMED });
	const answer = await c.env.desk.callAs(c.var.session.partnerId, API, { id }, 'DELETE');
	return answer.code === 0 ? c.redirect(PATH, 303) : showKeys(c, { problem: 'You have no such key.' });
}

export function mountKeys(app: CabinetApp): void {
	app.get(PATH, (c) => showKeys(c));
	app.post(PATH, make);
	app.post(`${PATH}/revoke`, revoke);
}
