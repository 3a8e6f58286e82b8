/** Tries a transaction again later, without end: only the operator can give up what is owed (`give-up.ts`). */
import type { SQL } from 'drizzle-orm';
import { BroadcastRejected } from '../../chains/errors.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { type LogEvent, log } from '../../platform/log.ts';
import type { TransactionKind, TransactionRow } from '../table.ts';
import { KINDS } from './kinds.ts';
import { blockedColumns, type StopReason, waitingColumns } from './stop-reason.ts';
import { change, remove } from './store.ts';

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
export function putOff(db: Db, row: TransactionRow, reason: StopReason, { blocks, now, more, only }: PutOff) {
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

/**
 * Deletes a transaction that can never arrive and that nobody is owed. Its coins are still where they were. A pay-in
 * address is still a candidate, so its sweep is planned again.
 */
const EVENTS: Readonly<Partial<Record<TransactionKind, LogEvent>>> = { consolidation: 'consolidation_abandoned' };

/** True if it was deleted. `refusal`: what its broadcast threw. */
export async function tryAbandon(db: Db, row: TransactionRow, refusal: unknown): Promise<boolean> {
	if (!(refusal instanceof BroadcastRejected)) return false;
	const { id, network, kind } = row;
	const { abandonedWhen } = KINDS[kind];
	if (abandonedWhen === 'never' || !refusal[abandonedWhen]) return false;
	log(EVENTS[kind] ?? 'sweep_abandoned', { payoutId: id, network, kind, reason: refusal.message });
	await runBatch(db, [remove(db, row)]);
	return true;
}
