/** The audit log of migrations/0001_partners.sql and 0040_actors.sql. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const auditLog = sqliteTable('audit_log', {
	id: text('id').primaryKey(),
	at: integer('at').notNull(),
	command: text('command').notNull(),
	subject: text('subject'),
	changes: text('changes', { mode: 'json' }).$type<unknown>().notNull(),
	/** Null in lines of older versions. */
	actor: text('actor'),
});
