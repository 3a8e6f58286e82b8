/** The minutes that worked and how long payments took, for the status page. */
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

/** Each figure is null where there are too few payments. */
export const speeds = /* @__PURE__ */ sqliteTable('speeds', () => ({
	/** A network, or `All`. */
	subject: text('subject').primaryKey(),
	/** Milliseconds that half of the payouts, and 95 of 100, took at most. */
	payoutHalf: integer('payout_half'),
	payoutMost: integer('payout_most'),
	refundHalf: integer('refund_half'),
	refundMost: integer('refund_most'),
	/** Share of the orders that were paid in there, basis points, rounded up. */
	attendedBps: integer('attended_bps'),
	/** Unix milliseconds. */
	until: integer('until').notNull(),
}));

export type SpeedRow = typeof speeds.$inferSelect;
