/**
 * The audit log: who reads it learns when which command changed what. No entry ever holds a secret,
 * or a client's address in cleartext. An entry is written in the batch of its change, and only ever added; the signer
 * chains it soon afterwards (`signer/journal/audit-chain.ts`).
 */
import { type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { auditLog } from './table.ts';

/** Who changes something, and when. */
export interface Writer {
	readonly db: DrizzleD1Database;
	/** Unix milliseconds. */
	readonly now: number;
	/**
	 * An operator is named by their e-mail where Access gave it, `token` for the console by token, `command` for the
	 * command line with the name of its user. Else `partner`, or `service` for what it did by itself.
	 */
	readonly actor: string;
}

interface Entry {
	/** As the operator types it, `partner update`; of a partner's own doing the endpoint, `keys/rotate`. */
	readonly command: string;
	/** Id of what was changed. */
	readonly subject: string | null;
	readonly changes: unknown;
}

export const writeAudit = ({ db, now, actor }: Writer, entry: Entry) =>
	db.insert(auditLog).values({ id: crypto.randomUUID(), at: now, actor, ...entry });

/**
 * An entry that is written only where `condition` holds. It goes into the batch before a compare-and-set on the same
 * condition, so that the log has an entry exactly when the change was made.
 */
export const writeAuditIf = ({ db, now, actor }: Writer, { command, subject, changes }: Entry, condition: SQL) =>
	db
		.insert(auditLog)
		.select(
			sql`select null, ${crypto.randomUUID()}, ${now}, ${command}, ${subject}, ${JSON.stringify(changes)}, ${actor} where ${condition}`,
		);
