/** Alerts and the cron's checks: tables of migrations/0001_schema.sql. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const alerts = /* @__PURE__ */ sqliteTable('alerts', () => ({
	/** Area, subject and, where these are not enough, a word more: the same for the same thing at every evaluation. */
	key: text('key').primaryKey(),
	state: text('state').$type<'raised' | 'told' | 'over'>().notNull(),
	eventId: text('event_id').notNull(),
	area: text('area').notNull(),
	subject: text('subject').notNull(),
	cause: text('cause').notNull(),
	todo: text('todo').notNull(),
	since: integer('since'),
	raisedAt: integer('raised_at').notNull(),
	goneAt: integer('gone_at'),
	attempts: integer('attempts').notNull().default(0),
	nextAttemptAt: integer('next_attempt_at').notNull(),
	lastError: text('last_error'),
}));

export type AlertRow = typeof alerts.$inferSelect;

export const periodicChecks = /* @__PURE__ */ sqliteTable('periodic_checks', () => ({
	name: text('name').primaryKey(),
	dueAt: integer('due_at').notNull(),
	found: integer('found').notNull().default(0),
}));
