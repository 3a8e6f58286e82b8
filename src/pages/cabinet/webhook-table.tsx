/** Webhooks as a table: what became of each, its attempts, and a button to send it again. */
import type { Child } from 'hono/jsx';
import type { WebhookDeliveryRow, webhookEvents } from '../../webhooks/table.ts';
import { Send, Time } from '../parts/parts.tsx';
import { State, type Tone } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import type { Session } from './env.ts';
import { OwnForm, Said } from './frame.tsx';
import { counted } from './words.ts';

type EventRow = typeof webhookEvents.$inferSelect;

interface Props {
	readonly session: Session;
	readonly webhooks: readonly { readonly event: EventRow; readonly attempts: readonly WebhookDeliveryRow[] }[];
	readonly empty: Child;
	/** Those of an archived order are history alone. */
	readonly areArchived?: boolean;
}

const SHORT_ID = 8;

export const WebhookTable = ({ session, webhooks, empty, areArchived = false }: Props) => (
	<Table
		label="Webhooks"
		rows={webhooks}
		empty={empty}
		columns={[
			{ head: 'Event', cell: ({ event }) => <code>{event.type}</code> },
			{ head: 'Made', cell: ({ event }) => <Time at={event.createdAt} /> },
			{ head: 'State', cell: ({ event }) => <EventState {...event} /> },
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
			...(areArchived ? [] : [sendAgain(session)]),
		]}
	/>
);

const sendAgain = (session: Session): Column<Props['webhooks'][number]> => ({
	head: 'Send again',
	cell: ({ event }) => (
		<OwnForm session={session} action="/cabinet/webhooks/again">
			<input type="hidden" name="id" value={event.id} />
			<Send class="plain" aria-label={`Send ${event.id.slice(0, SHORT_ID)} again`} text="Again" />
		</OwnForm>
	),
});

const EventState = ({ state, attempts }: Pick<EventRow, 'state' | 'attempts'>) => {
	const [tone, word] = wordOf(state, attempts);
	return <State tone={tone} word={word} />;
};

function wordOf(state: EventRow['state'], attempts: number): readonly [Tone, string] {
	if (state === 'delivered') return ['good', 'Delivered'];
	if (state === 'ended') return ['bad', 'Given up'];
	return attempts === 0 ? ['busy', 'Being sent'] : ['warn', 'Tried again later'];
}

/** The endpoint's answer is a stranger's text, and is shown as text. */
const Attempts = ({ count, attempts }: { readonly count: number; readonly attempts: readonly WebhookDeliveryRow[] }) =>
	attempts.length === 0 ? (
		<span>{counted(count, 'attempt', 'attempts')}</span>
	) : (
		<details>
			<summary>{`${counted(count, 'attempt', 'attempts')}, last: ${answerOf(attempts.at(-1))}`}</summary>
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
		</details>
	);

const answerOf = (attempt: WebhookDeliveryRow | undefined): string =>
	attempt?.status == null ? 'no answer' : `HTTP ${attempt.status}`;
