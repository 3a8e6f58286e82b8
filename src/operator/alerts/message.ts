/** The body that is posted to the alert endpoint. The same row gives the same body at every attempt. Pure. */
import { isoTimeOrNull } from '../../platform/time.ts';
import { eventBody } from '../../webhooks/events/event.ts';
import type { AlertRow } from './table.ts';

/** `raised`: something waits. `over`: it waits no more. `test`: from `alert test`. */
export type AlertType = 'alert.raised' | 'alert.over' | 'alert.test';

export function alertBody(row: AlertRow): string {
	const { key, state, eventId: id, area, subject, cause, todo, since, raisedAt, goneAt } = row;
	const isOver = state === 'over';
	const now = isOver ? (goneAt ?? raisedAt) : raisedAt;
	const text = isOver ? `Over: ${area} ${subject}: ${cause}` : `${area} ${subject}: ${cause}. To do: ${todo}`;
	const data = { key, area, subject, cause, todo, since: isoTimeOrNull(since) };
	return messageBody({ id, now }, isOver ? 'alert.over' : 'alert.raised', text, {
		...data,
		raisedAt: isoTimeOrNull(raisedAt),
		goneAt: isoTimeOrNull(isOver ? goneAt : null),
	});
}

/** `text`: one line for a person, beside the envelope, where chat tools look for it. */
export const messageBody = (
	head: { readonly id: string; readonly now: number },
	type: AlertType,
	text: string,
	data: Readonly<Record<string, unknown>>,
): string => eventBody(head, type, data, { text });
