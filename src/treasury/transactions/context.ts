/** The means of every step of a transaction's path, and the form of a step that stores `sent`. */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { AskedSigner } from '../../ports/signer.ts';
import type { Connection } from '../connection.ts';
import type { TransactionRow } from '../table.ts';
import type { Switches } from './switches.ts';

export interface TransactionContext extends Connection {
	readonly signer: AskedSigner;
	/** The switches as the operator decided them, which D1 may have forgotten; null where they are not known now. */
	readonly switches: Switches | null;
	/** How often a sent transaction is queried until it is final, milliseconds. */
	readonly followMilliseconds: number;
	/** Unix milliseconds. */
	readonly now: number;
}

/**
 * Stores that the network has taken the transactions, with all that follows: orders, books, webhooks. Atomic for each
 * transaction. The ids of the webhook events. `firstPoll`: milliseconds until the chain is queried for them.
 */
export type RecordSent = (
	db: DrizzleD1Database,
	taken: readonly TransactionRow[],
	now: number,
	firstPoll: number,
) => Promise<string[]>;
