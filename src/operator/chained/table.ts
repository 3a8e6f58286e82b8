/** The chain over the rows of the audit log, the books and the orders' moves, of migrations/0001_schema.sql. */
import { type SQL, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { RowsOf } from './segment.ts';

export const chainedSegments = /* @__PURE__ */ sqliteTable('chained_segments', () => ({
	position: integer('position').primaryKey(),
	rowsOf: text('rows_of').$type<RowsOf>().notNull(),
	first: integer('first').notNull(),
	last: integer('last').notNull(),
	at: integer('at').notNull(),
	lines: text('lines'),
	digest: text('digest').notNull(),
}));

/** A condition: none holds where there is no segment. */
export const isNewest = (): SQL => sql`${chainedSegments.position} = (select max(position) from chained_segments)`;
