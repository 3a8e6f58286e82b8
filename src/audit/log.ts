/**
 * The audit log: who reads it learns when which command changed what. No entry ever holds a secret,
 * or a client's address in cleartext.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { auditLog } from './table.ts';

interface Entry {
	/** Unix milliseconds. */
	readonly at: number;
	/** As the operator types it, `partner update`; of a partner's own doing the endpoint, `keys/rotate`. */
	readonly command: string;
	/** Id of what was changed. */
	readonly subject: string | null;
	readonly changes: unknown;
}

export const writeAudit = (db: DrizzleD1Database, entry: Entry) =>
	db.insert(auditLog).values({ id: crypto.randomUUID(), ...entry });

/**
 * An entry that is written only where `condition` holds. It goes into the batch before a compare-and-set on the same
 * condition, so that the log has an entry exactly when the change was made.
 */
export const writeAuditIf = (db: DrizzleD1Database, { at, command, subject, changes }: Entry, condition: SQL) =>
	db
		.insert(auditLog)
		.select(
			sql`select ${crypto.randomUUID()}, ${at}, ${command}, ${subject}, ${JSON.stringify(changes)} where ${condition}`,
		);
