/** The audit log of migrations/0001_schema.sql. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const auditLog = /* @__PURE__ */ sqliteTable('audit_log', () => ({
	number: integer('number').primaryKey({ autoIncrement: true }),
	id: text('id').notNull().unique(),
	at: integer('at').notNull(),
	command: text('command').notNull(),
	subject: text('subject'),
	changes: text('changes', { mode: 'json' }).$type<unknown>().notNull(),
	actor: text('actor').notNull(),
}));
