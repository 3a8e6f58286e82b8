/**
 * Reads through D1's replicas. A replica may be behind, so no call begins at one: what a partner was told, by a call or a
 * webhook, stands in the primary. The session remembers the state of its first answer, and D1 serves what follows from the
 * nearest copy that has this state or a later one. No bookmark outlives a call: after D1 is set back to an earlier minute
 * it would name a state that is no more (book: architecture, "Replicas").
 */
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';

/** For one call: the first query goes to the primary, the next may go to a replica that is no older than its answer. */
export function newestThenNear(database: D1Database): DrizzleD1Database {
	// Of a database Drizzle uses `prepare` and `batch`, which a session has as well.
	return drizzle(database.withSession('first-primary') as unknown as D1Database);
}
