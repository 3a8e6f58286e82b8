/** Forms of the console: tables of migrations/0001_schema.sql. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const operatorForms = /* @__PURE__ */ sqliteTable('operator_forms', () => ({
	id: text('id').primaryKey(),
	at: integer('at').notNull(),
}));
