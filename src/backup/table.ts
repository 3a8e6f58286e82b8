/** The backup or restore that is under way, of migrations/0001_schema.sql. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const holds = /* @__PURE__ */ sqliteTable('holds', () => ({
	id: integer('id').primaryKey(),
	purpose: text('purpose').$type<'backup' | 'restore'>().notNull(),
	backupId: text('backup_id').notNull(),
	until: integer('until').notNull(),
	open: integer('open').notNull().default(0),
	nextPiece: integer('next_piece').notNull().default(1),
	triggers: text('triggers', { mode: 'json' }).$type<readonly string[]>().notNull().default([]),
	seal: text('seal'),
}));

export type Hold = typeof holds.$inferSelect;
