/** Tries a transaction again later, without end: only the operator can give up what is owed (`give-up.ts`). */
import type { SQL } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Statement } from '../../platform/d1/batches.ts';
import type { TransactionRow } from '../table.ts';
import { blockedColumns, type StopReason, waitingColumns } from './stop-reason.ts';
import { change } from './store.ts';

/** The wait before the next attempt doubles from the first to the last. */
const FIRST_RETRY_MILLISECONDS = 5_000;
const LAST_RETRY_MILLISECONDS = 300_000;

interface PutOff {
	/** The transaction is blocked too. */
	readonly blocks: boolean;
	readonly now: number;
	/** Other columns that change with it. */
	readonly more?: Partial<TransactionRow>;
	/** As for `change`. */
	readonly only?: SQL;
}

/** Stores the reason with the row. */
export function putOff(
	db: DrizzleD1Database,
	row: TransactionRow,
	reason: StopReason,
	{ blocks, now, more, only }: PutOff,
): Statement {
	const wait = Math.min(FIRST_RETRY_MILLISECONDS * 2 ** Math.min(row.attempts, 10), LAST_RETRY_MILLISECONDS);
	const columns = {
		attempts: row.attempts + 1,
		nextAttemptAt: now + wait,
		...(blocks ? blockedColumns(reason) : isAnsweredAnew(row, reason) && blockedColumns(null)),
		...waitingColumns(row, reason, now),
		...more,
	};
	return change(db, row, columns, only);
}

/** The signer refuses it for another reason than the one that blocked it, so that one is over. */
const isAnsweredAnew = ({ blockedKind }: TransactionRow, { kind }: StopReason): boolean =>
	kind === 'signer' && blockedKind === 'signer';
