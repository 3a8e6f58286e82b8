/** Webhooks as a table: what became of each, its attempts, and a button to send it again. */
import type { Child } from 'hono/jsx';
import type { WebhookDeliveryRow, WebhookEventRow } from '../../webhooks/table.ts';
import { Send, State, Time, type Tone } from '../parts/parts.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { OwnForm, Said } from './frame.tsx';
import type { Webhook } from './webhook-store.ts';
import { counted } from './words.ts';

interface Props {
	readonly webhooks: readonly Webhook[];
	readonly empty: Child;
	/** Those of an archived order are history alone. */
	readonly areArchived?: boolean;
}

const SHORT_ID = 8;

export const WebhookTable = ({ webhooks, empty, areArchived = false }: Props) => (
	<Table
		label="Webhooks"
		rows={webhooks}
		empty={empty}
		columns={[
			{ head: 'Event', cell: ({ event }) => <EventLink event={event} isArchived={areArchived} /> },
			{ head: 'Endpoint', cell: ({ url }) => (url === null ? 'deleted' : new URL(url).host) },
			{ head: 'Created', cell: ({ event }) => <Time at={event.createdAt} /> },
			{ head: 'State', cell: (webhook) => <EventState {...webhook} /> },
			{
				head: 'Order',
				cell: ({ event: { orderId } }) =>
					orderId && (
						<a href={`/cabinet/orders/${orderId}`}>
							<code>{orderId.slice(0, SHORT_ID)}</code>
						</a>
					),
			},
			{ head: 'Attempts', cell: ({ event, attempts }) => <Attempts count={event.attempts} attempts={attempts} /> },
			...(areArchived ? [] : [SEND_AGAIN]),
		]}
	/>
);

const SEND_AGAIN: Column<Webhook> = {
	head: 'Redeliver',
	cell: ({ event }) => (
		<OwnForm action="/cabinet/webhooks/again" fields={{ id: event.id }}>
			<Send class="plain" aria-label={`Send again: ${event.id.slice(0, SHORT_ID)}`} text="Send again" />
		</OwnForm>
	),
};

/** The type, and which status the event carries. */
const EventLink = ({ event, isArchived }: { readonly event: WebhookEventRow; readonly isArchived: boolean }) => {
	const status = statusIn(event.body);
	const name = (
		<>
			<code>{event.type}</code>
			{status && ` ${status}`}
		</>
	);
	return isArchived ? name : <a href={`/cabinet/webhooks/${event.eventId}`}>{name}</a>;
};

/** Null where the event is of no order, or where its body is no longer kept. */
function statusIn(body: string): string | null {
	try {
		const status = JSON.parse(body)?.data?.order?.status;
		return typeof status === 'string' ? status : null;
	} catch {
		return null;
	}
}

export const EventState = ({ event, attempts }: Webhook) => {
	const [tone, word] = wordOf(event, attempts.length);
	return (
		<>
			<State tone={tone} word={word} />
			{tone === 'warn' && (
				<small>
					{' '}
					<Time at={event.nextAttemptAt} />
				</small>
			)}
		</>
	);
};

/** An attempt that is counted and not answered is under way. */
function wordOf({ state, attempts }: WebhookEventRow, answered: number): readonly [Tone, string] {
	if (state === 'delivered') return ['good', 'Delivered'];
	if (state === 'ended') return ['bad', 'Given up'];
	return attempts === 0 || attempts > answered ? ['busy', 'Being sent'] : ['warn', 'Next try'];
}

/** The endpoint's answer is a stranger's text, and is shown as text. */
const Attempts = ({ count, attempts }: { readonly count: number; readonly attempts: readonly WebhookDeliveryRow[] }) =>
	attempts.length === 0 ? (
		<span>{counted(count, 'attempt', 'attempts')}</span>
	) : (
		<details>
			<summary>{`${counted(count, 'attempt', 'attempts')}, last: ${answerOf(attempts.at(-1))}`}</summary>
			<AttemptList attempts={attempts} />
		</details>
	);

export const AttemptList = ({ attempts }: { readonly attempts: readonly WebhookDeliveryRow[] }) => (
	<ol>
		{attempts.map((attempt) => (
			<li>
				<Time at={attempt.at} /> · {answerOf(attempt)} · {attempt.durationMilliseconds} ms
				{attempt.error !== null && (
					<>
						{' · '}
						<Said text={attempt.error} />
					</>
				)}
			</li>
		))}
	</ol>
);

const answerOf = (attempt: WebhookDeliveryRow | undefined): string =>
	attempt?.status == null ? 'no answer' : `HTTP ${attempt.status}`;
