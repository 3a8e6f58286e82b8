/** The cabinet's reads of webhooks: every query asks for the partner, goes by an index and is bounded. */
import { and, asc, desc, eq, lt, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { inJson } from '../../platform/d1/lists.ts';
import { type WebhookDeliveryRow, webhookDeliveries, webhookEvents } from '../../webhooks/table.ts';

export type EventRow = typeof webhookEvents.$inferSelect;

/** An event, and the attempts that were answered or given up, oldest first. */
export interface Webhook {
	readonly event: EventRow;
	readonly attempts: readonly WebhookDeliveryRow[];
}

/** Newest first. `before`: Unix milliseconds. */
export async function webhooksOf(
	db: DrizzleD1Database,
	partnerId: string,
	before: number,
	limit: number,
): Promise<Webhook[]> {
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

/** Null where the partner has none with this id. */
export async function webhookOf(db: DrizzleD1Database, partnerId: string, id: string): Promise<Webhook | null> {
	const events = await db
		.select()
		.from(webhookEvents)
		.where(and(eq(webhookEvents.id, id), eq(webhookEvents.partnerId, partnerId)));
	return (await withAttempts(db, events))[0] ?? null;
}

export async function withAttempts(db: DrizzleD1Database, events: readonly EventRow[]): Promise<Webhook[]> {
	const attempts = await db
		.select()
		.from(webhookDeliveries)
		.where(sql`${webhookDeliveries.eventId} in ${inJson(events.map(({ id }) => id))}`)
		.orderBy(asc(webhookDeliveries.attempt));
	const byEvent = Map.groupBy(attempts, ({ eventId }) => eventId);
	return events.map((event) => ({ event, attempts: byEvent.get(event.id) ?? [] }));
}
