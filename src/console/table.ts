/** Sessions of the console by token: tables of migrations/0001_schema.sql. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const operatorSessions = /* @__PURE__ */ sqliteTable('operator_sessions', () => ({
	id: text('id').primaryKey(),
	mark: text('mark').notNull(),
	createdAt: integer('created_at').notNull(),
	expiresAt: integer('expires_at').notNull(),
}));
