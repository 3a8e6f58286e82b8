/**
 * Common to all events: the envelope and its row in the outbox. A change makes its row here and writes it in its own
 * batch. The body is serialised once; that string is stored, signed and posted at every attempt. Pure.
 */
import * as z from 'zod/mini';
import type { NewWebhookEventRow } from '../table.ts';

/** One kind of event: its name, its `data`, and what the reference says of it. */
export interface WebhookEvent {
	readonly type: string;
	/** Unique, camelCase. */
	readonly operationId: string;
	readonly summary: string;
	readonly description: string;
	/** The schema of the whole body. */
	readonly schema: z.ZodMiniType;
	readonly example: unknown;
}

interface Declaration<Type extends string, Data extends z.ZodMiniType>
	extends Omit<WebhookEvent, 'type' | 'schema' | 'example'> {
	readonly type: Type;
	readonly data: Data;
	readonly example: { readonly id: string; readonly data: z.input<Data> };
}

const API_VERSION = 'v1';
const EXAMPLE_TIME = '2026-11-20T12:14:50.000Z';

export function webhookEvent<Type extends string, Data extends z.ZodMiniType>({
	data,
	example: { id, data: exampleData },
	...words
}: Declaration<Type, Data>) {
	const { type } = words;
	const schema = z.lazy(() =>
		z.object({
			id: z.uuid().check(z.describe('The event’s own id, the same on every attempt: tell repetitions by it.')),
			type: z.literal(type),
			createdAt: z.iso.datetime().check(z.describe('When the event came about, ISO 8601.')),
			apiVersion: z.literal(API_VERSION),
			data,
		}),
	);
	const example = { id, type, createdAt: EXAMPLE_TIME, apiVersion: API_VERSION, data: exampleData };
	const event = { ...words, schema, example } satisfies WebhookEvent;
	return { ...event, data };
}

/** Which event, for whom, and when. */
export interface EventHead {
	/** The event's own id, new for each event. */
	readonly id: string;
	readonly partnerId: string;
	/** Unix milliseconds. */
	readonly now: number;
}

/** An event that is to be sent now. */
export function dueEvent(
	{ id, partnerId, now }: EventHead,
	type: string,
	data: Readonly<Record<string, unknown>>,
): NewWebhookEventRow {
	return {
		id,
		partnerId,
		type,
		body: eventBody({ id, now }, type, data),
		state: 'due',
		nextAttemptAt: now,
		createdAt: now,
	};
}

/** The body as it is stored, signed and posted. `more`: beside the envelope. */
export const eventBody = (
	{ id, now }: Pick<EventHead, 'id' | 'now'>,
	type: string,
	data: Readonly<Record<string, unknown>>,
	more: Readonly<Record<string, unknown>> = {},
): string =>
	JSON.stringify({ id, type, createdAt: new Date(now).toISOString(), apiVersion: API_VERSION, data, ...more });
