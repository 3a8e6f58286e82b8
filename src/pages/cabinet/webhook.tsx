/** `/cabinet/webhooks/{id}`: one event: what was sent, and what each attempt was answered. */
import { Copyable } from '../parts/copyable.tsx';
import { Layout } from '../parts/layout.tsx';
import { Card, Facts, Time } from '../parts/parts.tsx';
import { render } from '../render.ts';
import { type CabinetContext, placesOf } from './env.ts';
import { cabinetPage, OwnButton } from './frame.tsx';
import { type Webhook, webhookOf } from './webhook-store.ts';
import { AttemptList, EventState } from './webhook-table.tsx';

const PATH = '/cabinet/webhooks';

export async function showWebhook(c: CabinetContext): Promise<Response> {
	const { session } = c.var;
	const id = (c.req.param('id') ?? '').toLowerCase();
	const webhooks = await webhookOf(placesOf(c).db, session.partnerId, id);
	const [first] = webhooks;
	if (!first) return render(<NoWebhook />, { status: 404 });
	const { event } = first;
	return cabinetPage(
		c,
		{ title: event.type, path: PATH },
		<>
			<div class="grid halves">
				<Card title="Event">
					<Copyable value={event.eventId} label="Event id" />
					<Facts
						facts={{
							Created: <Time at={event.createdAt} />,
							Order: event.orderId && <a href={`/cabinet/orders/${event.orderId}`}>{event.orderId}</a>,
						}}
					/>
					<OwnButton action={`${PATH}/again`} fields={{ id: event.eventId }} text="Send again" />
				</Card>
				{webhooks.map((webhook) => (
					<Attempts {...webhook} />
				))}
			</div>
			<Body {...first} />
			<p>
				<a href={PATH}>All webhooks</a>
			</p>
		</>,
	);
}

const Attempts = (webhook: Webhook) => (
	<Card title="Attempts">
		<p class="soft small break">{webhook.url ?? 'An endpoint that was deleted'}</p>
		<EventState {...webhook} />
		{webhook.attempts.length === 0 ? (
			<p class="soft">None is answered yet.</p>
		) : (
			<AttemptList attempts={webhook.attempts} />
		)}
	</Card>
);

const Body = ({ event: { body } }: Webhook) => (
	<Card title="Body">
		{body === '' ? (
			<p class="soft">It was delivered, and is no longer kept.</p>
		) : (
			<>
				<p class="soft small">Byte by byte as it is signed and sent.</p>
				<Copyable value={body} label="Body" />
			</>
		)}
	</Card>
);

const NoWebhook = () => (
	<Layout title="No such webhook" path={PATH} width="narrow">
		<h1>You have no webhook with this id</h1>
		<p>
			<a href={PATH}>Your webhooks</a>
		</p>
	</Layout>
);
