/** The Worker's database as Drizzle sees it: made once for each binding, in this one place. */
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';

/** A database, or one session of it. */
export type Db = DrizzleD1Database;

type Database = ReturnType<typeof drizzle<Record<string, never>, D1Database>>;

const made = new WeakMap<D1Database, Database>();

export function databaseOf({ DB }: { readonly DB: D1Database }): Database {
	const known = made.get(DB) ?? drizzle(DB);
	made.set(DB, known);
	return known;
}
