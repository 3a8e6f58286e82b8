/** The outbox and its deliveries: tables of migrations/0001_schema.sql. */
import { sql } from 'drizzle-orm';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** An event for one endpoint. A row that names no endpoint is stored once for each that wants the event, by a trigger. */
export const webhookEvents = /* @__PURE__ */ sqliteTable('webhook_events', () => ({
	/** The event's id and the endpoint's, with a full stop between. */
	id: text('id').primaryKey(),
	partnerId: text('partner_id').notNull(),
	orderId: text('order_id'),
	sequence: integer('sequence'),
	/** One of `events/events.ts`, or of another version's. */
	type: text('type').notNull(),
	body: text('body').notNull(),
	state: text('state').$type<'due' | 'delivered' | 'ended'>().notNull().default('due'),
	attempts: integer('attempts').notNull().default(0),
	nextAttemptAt: integer('next_attempt_at').notNull(),
	createdAt: integer('created_at').notNull(),
	eventId: text('event_id').notNull().default(''),
	endpointId: text('endpoint_id').notNull().default(''),
}));

/** Written out, not bound: SQLite uses the partial indexes only where it can read the state in the statement. */
export const isDue = sql`${webhookEvents.state} = 'due'`;

export const webhookDeliveries = /* @__PURE__ */ sqliteTable(
	'webhook_deliveries',
	() => ({
		/** The id of a row of the outbox. */
		eventId: text('event_id').notNull(),
		attempt: integer('attempt').notNull(),
		at: integer('at').notNull(),
		status: integer('status'),
		durationMilliseconds: integer('duration_milliseconds').notNull(),
		error: text('error'),
	}),
	(table) => [primaryKey({ columns: [table.eventId, table.attempt] })],
);

/** How far the bodies of delivered webhooks were dropped. One row. */
export const webhookBodies = /* @__PURE__ */ sqliteTable('webhook_bodies', () => ({
	id: integer('id').primaryKey(),
	droppedUntil: integer('dropped_until').notNull(),
}));

export type WebhookEventRow = typeof webhookEvents.$inferSelect;
export type NewWebhookEventRow = typeof webhookEvents.$inferInsert;
export type WebhookDeliveryRow = typeof webhookDeliveries.$inferSelect;
