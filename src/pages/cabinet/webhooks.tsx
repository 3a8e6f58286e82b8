/** `/cabinet/webhooks`: where events go, which ones, and what became of them. */
import type { Hono } from 'hono';
import { databaseOf } from '../../platform/d1/database.ts';
import { EVENT_TYPES } from '../../webhooks/events/events.ts';
import { Card, Field, Note, Problem, Send } from '../parts/parts.tsx';
import { render } from '../render.ts';
import type { CabinetContext, CabinetEnv } from './env.ts';
import { Cabinet, OwnForm } from './frame.tsx';
import { partnerOf } from './store.ts';
import { showWebhook } from './webhook.tsx';
import { webhooksOf } from './webhook-store.ts';
import { WebhookTable } from './webhook-table.tsx';

const PATH = '/cabinet/webhooks';
const PER_PAGE = 50;
/** No such row: the operator's code has the same words for what is another partner's. */
const SAID = {
	saved: 'Saved. It applies to the next event.',
	sent: 'The test is on its way. Its line below says what your endpoint answered.',
	again: 'It is sent again now, with the same id and body.',
} as const;

async function showWebhooks(c: CabinetContext, problem: string | null = null): Promise<Response> {
	const { session } = c.var;
	const db = databaseOf(c.env);
	const before = Number(c.req.query('before')) || Date.now() + 1;
	const [partner, webhooks] = await Promise.all([
		partnerOf(db, session.partnerId),
		webhooksOf(db, session.partnerId, before, PER_PAGE),
	]);
	const said = Object.entries(SAID).find(([name]) => name === c.req.query('done'))?.[1];
	const last = webhooks.length === PER_PAGE ? webhooks.at(-1) : undefined;
	return render(
		<Cabinet session={session} title="Webhooks" path={PATH}>
			<h1>Webhooks</h1>
			<Problem text={problem} />
			{said && !problem && <Note tone="good">{said}</Note>}
			<Card title="Where events go">
				<Settings session={session} partner={partner} />
			</Card>
			<div class="row ends">
				<h2>Events and deliveries</h2>
				<OwnForm session={session} action={`${PATH}/test`}>
					<Send class="plain" text="Send a test event" />
				</OwnForm>
			</div>
			<WebhookTable session={session} webhooks={webhooks} empty="No event yet. Send a test event to see one." />
			<nav class="pager" aria-label="Pages of webhooks">
				<span />
				{last && <a href={`${PATH}?before=${last.event.createdAt}`}>Older</a>}
			</nav>
		</Cabinet>,
		problem === null ? {} : { status: 400 },
	);
}

interface SettingsProps {
	readonly session: CabinetContext['var']['session'];
	readonly partner: Awaited<ReturnType<typeof partnerOf>>;
}

const Settings = ({ session, partner }: SettingsProps) => (
	<OwnForm session={session} action={PATH}>
		<Field
			name="webhookUrl"
			label="Webhook URL"
			hint="https, on a host of yours. Empty: nothing is sent."
			value={partner.webhookUrl ?? ''}
			inputmode="url"
			maxlength={2048}
			autocomplete="off"
		/>
		<fieldset>
			<legend>Events</legend>
			{EVENT_TYPES.map((type) => (
				<label class="check">
					<input type="checkbox" name="events" value={type} checked={partner.webhookEvents.includes(type)} />
					<code>{type}</code>
				</label>
			))}
		</fieldset>
		<Send text="Save" />
	</OwnForm>
);

const done = (c: CabinetContext, what: keyof typeof SAID) => c.redirect(`${PATH}?done=${what}`, 303);

async function save(c: CabinetContext): Promise<Response> {
	const { webhookUrl, events } = await c.req.parseBody({ all: true });
	const url = typeof webhookUrl === 'string' ? webhookUrl.trim() : '';
	const chosen = [events].flat().filter((type): type is string => typeof type === 'string');
	if (chosen.length === 0) return showWebhooks(c, 'Choose at least one event. To get nothing, leave the URL empty.');
	const change = { webhookUrl: url === '' ? null : url, events: chosen };
	const changed = await c.env.desk.changeOwn(c.var.session.partnerId, change);
	return changed.ok ? done(c, 'saved') : showWebhooks(c, `Not saved: ${changed.error}.`);
}

async function sendTest(c: CabinetContext): Promise<Response> {
	const { code } = await c.env.desk.callAs(c.var.session.partnerId, '/api/v1/webhooks/test', {});
	return code === 0 ? done(c, 'sent') : showWebhooks(c, 'There is no webhook URL to send a test to. Save one first.');
}

async function sendAgain(c: CabinetContext): Promise<Response> {
	const { id } = await c.req.parseBody();
	const sent = await c.env.desk.sendAgain(c.var.session.partnerId, String(id));
	return sent.ok ? done(c, 'again') : showWebhooks(c, `Not sent: ${sent.error}.`);
}

export function mountWebhooks(app: Hono<CabinetEnv>): void {
	app.get(PATH, (c) => showWebhooks(c));
	app.get(`${PATH}/:id`, showWebhook);
	app.post(PATH, save);
	app.post(`${PATH}/test`, sendTest);
	app.post(`${PATH}/again`, sendAgain);
}
