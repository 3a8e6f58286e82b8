/** The cabinet's reads of webhooks: every query asks for the partner, goes by an index and is bounded. */
import { and, asc, desc, eq, lt, sql } from 'drizzle-orm';
import { webhookEndpoints } from '../../partners/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
import {
	type WebhookDeliveryRow,
	type WebhookEventRow,
	webhookDeliveries,
	webhookEvents,
} from '../../webhooks/table.ts';

const PER_PARTNER = 5;

/** An event, and the attempts that were answered or given up, oldest first. */
export interface Webhook {
	readonly event: WebhookEventRow;
	readonly attempts: readonly WebhookDeliveryRow[];
	/** Where it goes; null where the endpoint was deleted. */
	readonly url: string | null;
}

/** Oldest first: the first is the one that the form sets. A partner has five at most. */
export const endpointsOf = (db: Db, partnerId: string) =>
	db
		.select()
		.from(webhookEndpoints)
		// Literal, for the partial index.
		.where(sql`${webhookEndpoints.partnerId} = ${partnerId} and ${webhookEndpoints.orderId} is null`)
		.orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id))
		.limit(PER_PARTNER);

/** Newest first. `before`: Unix milliseconds. */
export async function webhooksOf(db: Db, partnerId: string, before: number, limit: number): Promise<Webhook[]> {
	// The words of the index `webhook_events_by_partner`.
	const isOwn = sql`lower(${webhookEvents.partnerId}) = ${partnerId.toLowerCase()}`;
	const events = await db
		.select()
		.from(webhookEvents)
		.where(and(isOwn, eq(webhookEvents.partnerId, partnerId), lt(webhookEvents.createdAt, before)))
		.orderBy(desc(webhookEvents.createdAt), desc(webhookEvents.sequence), webhookEvents.id)
		.limit(limit);
	return withAttempts(db, events);
}

/** The event at each endpoint that it goes to; none where the partner has none with this id. */
export async function webhookOf(db: Db, partnerId: string, id: string): Promise<Webhook[]> {
	const events = await db
		.select()
		.from(webhookEvents)
		.where(and(eq(webhookEvents.eventId, id), eq(webhookEvents.partnerId, partnerId)));
	return withAttempts(db, events);
}

export async function withAttempts(db: Db, events: readonly WebhookEventRow[]): Promise<Webhook[]> {
	const [attempts, endpoints] = await db.batch([
		db
			.select()
			.from(webhookDeliveries)
			.where(sql`${webhookDeliveries.eventId} in ${inJson(events.map(({ id }) => id))}`)
			.orderBy(asc(webhookDeliveries.attempt)),
		db
			.select({ id: webhookEndpoints.id, url: webhookEndpoints.url })
			.from(webhookEndpoints)
			.where(sql`${webhookEndpoints.id} in ${inJson([...new Set(events.map(({ endpointId }) => endpointId))])}`),
	]);
	const byEvent = Map.groupBy(attempts, ({ eventId }) => eventId);
	const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
	return events.map((event) => ({
		event,
		attempts: byEvent.get(event.id) ?? [],
		url: urls.get(event.endpointId) ?? null,
	}));
}
