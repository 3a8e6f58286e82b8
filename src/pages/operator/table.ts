/** Forms of the console: the table of migrations/0039_console.sql. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const operatorForms = sqliteTable('operator_forms', {
	id: text('id').primaryKey(),
	at: integer('at').notNull(),
});
