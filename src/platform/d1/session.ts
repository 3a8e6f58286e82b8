/**
 * Reads through D1's replicas. A replica may be behind, so no call begins at one: what a partner was told, by a call or a
 * webhook, stands in the primary. The session remembers the state of its first answer, and D1 serves what follows from the
 * nearest copy that has this state or a later one. No bookmark outlives a call: after D1 is set back to an earlier minute
 * it would name a state that is no more (book: architecture, "Replicas").
 */
import { drizzle } from 'drizzle-orm/d1';
import type { Db } from './database.ts';

/** For one call: the first query goes to the primary, the next may go to a replica that is no older than its answer. */
export const newestThenNear = (database: D1Database): Db => asDrizzle(database.withSession('first-primary'));

/** The answer of one query of the primary, and the bookmark of the state that it saw: null where D1 tells none. */
export interface Newest<T> {
	readonly found: T;
	readonly bookmark: D1SessionBookmark | null;
}

export async function readNewest<T>(
	database: D1Database,
	query: (session: D1DatabaseSession) => Promise<T>,
): Promise<Newest<T>> {
	const session = database.withSession('first-primary');
	const found = await query(session);
	return { found, bookmark: session.getBookmark() };
}

/** Any copy that has the state of the bookmark or a later one. */
export const nearFrom = (database: D1Database, bookmark: D1SessionBookmark | null): Db =>
	asDrizzle(database.withSession(bookmark ?? 'first-primary'));

/** Drizzle uses a database's `prepare` and `batch`, which a session has as well. */
const asDrizzle = (session: D1DatabaseSession): Db => drizzle(session as unknown as D1Database);
