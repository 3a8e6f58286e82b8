/** Incidents: tables of migrations/0001_schema.sql. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const incidents = /* @__PURE__ */ sqliteTable(
	'incidents',
	() => ({
		/** One of `kinds.ts`, or of another version's. */
		kind: text('kind').notNull(),
		subject: text('subject').notNull(),
		detail: text('detail').notNull(),
		times: integer('times').notNull(),
		/** Unix milliseconds, both. */
		firstAt: integer('first_at').notNull(),
		lastAt: integer('last_at').notNull(),
	}),
	(table) => [primaryKey({ columns: [table.kind, table.subject] })],
);

export type IncidentRow = typeof incidents.$inferSelect;
