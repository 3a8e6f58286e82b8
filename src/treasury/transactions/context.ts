/** The means of every step of a transaction's path, and the form in which a sent one is booked. */
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import type { AskedSigner } from '../../ports/signer.ts';
import type { Connection } from '../connection.ts';
import type { TransactionRow } from '../table.ts';
import type { Switches } from './wait-reason.ts';

export interface TransactionContext extends Connection {
	readonly signer: AskedSigner;
	/** The switches as the operator decided them, which D1 may have forgotten; null where they are not known now. */
	readonly switches: Switches | null;
	/** How often a sent transaction is queried until it is final, milliseconds. */
	readonly followMilliseconds: number;
	readonly now: number;
}

export interface Booked {
	readonly statements: readonly Statement[];
	/** The ids of the webhook events that the statements make. */
	readonly eventIds: readonly string[];
}

/**
 * Books transactions of one kind, whose `txId` is what paid: one answer for each, which is written with its own row. Null
 * where nothing waits for it any more.
 */
export type Book = (db: Db, rows: readonly TransactionRow[], now: number) => Promise<readonly (Booked | null)[]>;
