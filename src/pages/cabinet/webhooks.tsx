/** `/cabinet/webhooks`: where events go, which ones, and what became of them. */
import type { WebhookEndpointRow } from '../../partners/table.ts';
import { EVENT_TYPES } from '../../webhooks/events/events.ts';
import { Card, Field, Note, Send, State } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { type CabinetApp, type CabinetContext, placesOf } from './env.ts';
import { cabinetPage, OwnButton, OwnForm } from './frame.tsx';
import { showWebhook } from './webhook.tsx';
import { endpointsOf, webhooksOf } from './webhook-store.ts';
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
	const { db } = placesOf(c);
	const before = Number(c.req.query('before')) || Date.now() + 1;
	const [endpoints, webhooks] = await Promise.all([
		endpointsOf(db, session.partnerId),
		webhooksOf(db, session.partnerId, before, PER_PAGE),
	]);
	const said = Object.entries(SAID).find(([name]) => name === c.req.query('done'))?.[1];
	const last = webhooks.length === PER_PAGE ? webhooks.at(-1) : undefined;
	return cabinetPage(
		c,
		{ title: 'Webhooks', path: PATH, problem, refusal: 400 },
		<>
			{said && !problem && <Note tone="good">{said}</Note>}
			<Card title="Where events go">
				<Settings first={endpoints[0]} />
			</Card>
			<Endpoints endpoints={endpoints} />
			<div class="row ends">
				<h2>Events and deliveries</h2>
				<OwnButton action={`${PATH}/test`} text="Send a test event" />
			</div>
			<WebhookTable webhooks={webhooks} empty="No event yet. Send a test event to see one." />
			<nav class="pager" aria-label="Pages of webhooks">
				<span />
				{last && <a href={`${PATH}?before=${last.event.createdAt}`}>Older</a>}
			</nav>
		</>,
	);
}

/** `first`: absent where there is none. */
const Settings = ({ first }: { readonly first: WebhookEndpointRow | undefined }) => (
	<OwnForm action={PATH}>
		<Field
			name="webhookUrl"
			label="Webhook URL"
			hint="https, on a host of yours. Empty: nothing is sent."
			value={first?.url ?? ''}
			inputmode="url"
			maxlength={2048}
			autocomplete="off"
		/>
		<fieldset>
			<legend>Events</legend>
			{EVENT_TYPES.map((type) => (
				<label class="check">
					<input type="checkbox" name="events" value={type} checked={first ? first.events.includes(type) : true} />
					<code>{type}</code>
				</label>
			))}
		</fieldset>
		<Send text="Save" />
	</OwnForm>
);

/** They are added and changed by API; the form above sets the first. */
const Endpoints = ({ endpoints }: { readonly endpoints: readonly WebhookEndpointRow[] }) => (
	<Table
		label="Endpoints"
		rows={endpoints}
		empty="No endpoint yet: nothing is sent."
		columns={[
			{ head: 'URL', is: 'wrap', cell: ({ url }) => <code>{url}</code> },
			{ head: 'Events', is: 'wrap', cell: ({ events }) => events.join(', ') },
			{
				head: 'State',
				cell: ({ enabled }) => <State tone={enabled ? 'good' : 'plain'} word={enabled ? 'Enabled' : 'Disabled'} />,
			},
		]}
	/>
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

export function mountWebhooks(app: CabinetApp): void {
	app.get(PATH, (c) => showWebhooks(c));
	app.get(`${PATH}/:id`, showWebhook);
	app.post(PATH, save);
	app.post(`${PATH}/test`, sendTest);
	app.post(`${PATH}/again`, sendAgain);
}
