/** `/cabinet/credentials`: the apiKey, the secrets for a minute, and new ones. */
import * as z from 'zod/mini';
import type { ShownSecrets } from '../../partners/secrets.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Card, Note, Send } from '../parts/parts.tsx';
import { isConfirmed, NOT_CONFIRMED } from './confirm.ts';
import { type CabinetApp, type CabinetContext, placesOf } from './env.ts';
import { cabinetPage, OwnButton, OwnForm } from './frame.tsx';
import { partnerOf } from './store.ts';

const PATH = '/cabinet/credentials';
/** How long secrets stay on the screen. */
const SHOWN_SECONDS = 60;
const SECRETS = { apiSecret: 'signs your calls', webhookSecret: 'signs what we send to your webhook URL' } as const;
type Name = keyof typeof SECRETS;
const NAMES = Object.keys(SECRETS) as Name[];

const NOT_SHOWN = 'Your passkey did not confirm it. Try again.';
const SWITCHED_OFF = 'The operator does not let secrets be viewed here. Replace them instead.';

const issuedSchema = z.partialRecord(z.enum(['apiSecret', 'webhookSecret']), z.string());
type Issued = z.infer<typeof issuedSchema>;

interface State {
	readonly issued?: Issued;
	readonly shown?: ShownSecrets;
	readonly problem?: string;
}

async function showCredentials(c: CabinetContext, { issued, shown, problem }: State = {}): Promise<Response> {
	const { session } = c.var;
	const partner = await partnerOf(placesOf(c).db, session.partnerId);
	return cabinetPage(
		c,
		{
			title: 'Credentials',
			heading: issued && <h1>Store your new secrets now</h1>,
			path: PATH,
			width: 'text',
			scripts: ['passkey.js'],
			problem,
			// The browser leaves the page by itself, also without JavaScript.
			...(shown && { headers: { refresh: `${SHOWN_SECONDS}; url=${PATH}` } }),
		},
		<>
			{issued && <Secrets says="The old ones no longer work." secrets={issued} />}
			{shown && <Secrets says="They leave this page after a minute." secrets={shown} />}
			<Card title="apiKey">
				<p>It names you in every call. It is no secret.</p>
				<Copyable value={partner.apiKey} label="apiKey" />
			</Card>
			<Card title="Your secrets">
				<p>
					They are kept sealed. You see them for a minute after a check of your passkey, and each view is on record.
				</p>
				<OwnButton action={`${PATH}/show`} confirms="secrets" text="Show with your passkey" main />
			</Card>
			<Card title="New secrets">
				<p>
					A new secret replaces the old one at once: calls that are signed with the old one are refused from that
					moment.
				</p>
				<OwnForm action={PATH} confirms="credentials">
					<fieldset>
						<legend>Replace</legend>
						{NAMES.map((name) => (
							<label class="check">
								<input type="checkbox" name="rotate" value={name} />
								<span>
									<code>{name}</code>, which {SECRETS[name]}
								</span>
							</label>
						))}
					</fieldset>
					<Send disabled text="Replace with your passkey" />
				</OwnForm>
			</Card>
		</>,
	);
}

const Secrets = ({ says, secrets }: { readonly says: string; readonly secrets: Issued }) => (
	<Note tone="warn">
		<p>{says}</p>
		{Object.entries(secrets).map(([name, secret]) => (
			<div class="stack">
				<h2>{name}</h2>
				<Copyable value={secret} label={name} />
			</div>
		))}
	</Note>
);

async function show(c: CabinetContext): Promise<Response> {
	if (!(await isConfirmed(c, 'secrets'))) return showCredentials(c, { problem: NOT_SHOWN });
	const shown = await c.env.desk.ownSecrets(c.var.session.partnerId);
	return showCredentials(c, shown ? { shown } : { problem: SWITCHED_OFF });
}

async function rotate(c: CabinetContext): Promise<Response> {
	const { rotate: chosen } = await c.req.parseBody({ all: true });
	const names = NAMES.filter((name) => [chosen].flat().includes(name));
	if (names.length === 0) return showCredentials(c, { problem: 'Choose at least one secret to replace.' });
	if (!(await isConfirmed(c, 'credentials'))) return showCredentials(c, { problem: NOT_CONFIRMED });
	const answer = await c.env.desk.callAs(c.var.session.partnerId, '/api/v1/keys/rotate', { rotate: names });
	if (answer.code !== 0)
		return showCredentials(c, {
			problem: 'They were replaced by somebody else at this moment, or could not be. Try again.',
		});
	return showCredentials(c, { issued: issuedSchema.parse(answer.data) });
}

export function mountCredentials(app: CabinetApp): void {
	app.get(PATH, (c) => showCredentials(c));
	app.post(PATH, rotate);
	app.post(`${PATH}/show`, show);
}
