/** The minutes that worked, for the status page. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const statusDays = /* @__PURE__ */ sqliteTable(
	'status_days',
	() => ({
		/** UTC, `2026-11-22`. */
		day: text('day').notNull(),
		/** A network, or `Prices`. */
		subject: text('subject').notNull(),
		minutesOk: integer('minutes_ok').notNull(),
		minutesBad: integer('minutes_bad').notNull(),
		/** Unix minutes. */
		lastMinute: integer('last_minute').notNull(),
	}),
	(table) => [primaryKey({ columns: [table.day, table.subject] })],
);
