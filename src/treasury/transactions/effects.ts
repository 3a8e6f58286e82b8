/**
 * The effects of each kind of transaction: when the network has taken it, when another version or another transaction
 * paid instead, and when it is final. One row for each kind.
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Statement } from '../../platform/d1/batches.ts';
import { writeMoves } from '../deposits/settle.ts';
import { bookEarnings } from '../earnings/finish.ts';
import { renameEarnings } from '../earnings/statements.ts';
import { copyReturned, strayDue } from '../strays/store.ts';
import { candidateOfAddress, candidateOfOrder } from '../sweeps/store.ts';
import type { TransactionKind, TransactionRow } from '../table.ts';
import type { Book } from './context.ts';
import { bookPayouts, bookRefunds } from './finish.ts';
import { renamePayout, renameRefund } from './finish-store.ts';
import { storeSent } from './store.ts';

/** Transactions that one batch stores. */
const PER_BATCH = 20;

export interface Effects {
	readonly booked: Book;
	/** Writes `txId` to every copy of the transaction's id that partners read. */
	readonly renamed: (db: DrizzleD1Database, row: TransactionRow, txId: string, now: number) => Statement[];
	/** Written with the row that becomes final: which pay-in address may be swept now. */
	readonly final: (db: DrizzleD1Database, row: TransactionRow, now: number) => Statement[];
}

/** The same statements for each, whatever became of what it was planned for. */
const each =
	(statements: (db: DrizzleD1Database, row: TransactionRow, now: number) => Statement[]): Book =>
	async (db, rows, now) =>
		rows.map((row) => ({ statements: statements(db, row, now), eventIds: [] }));

/** It moves our own coins: no order, ledger entry or partner depends on it. */
const OWN: Effects = { booked: each(() => []), renamed: () => [], final: () => [] };

/** It may have moved a stray, or be gas for one. */
const OF_ADDRESS: Effects = {
	...OWN,
	final: (db, row, now) => [...candidateOfAddress(db, row, now), ...strayDue(db, row, now)],
};

/** It belongs to no status of its order, whose copy of its strays names it. */
const STRAY: Effects = {
	booked: each((db, row, now) => [copyReturned(db, row, now)]),
	renamed: (db, row, _txId, now) => [copyReturned(db, row, now)],
	final: () => [],
};

/** Its order's copy names it too. */
const TOKEN: Effects = { ...STRAY, final: OF_ADDRESS.final };

export const EFFECTS: Readonly<Record<TransactionKind, Effects>> = {
	payout: { booked: bookPayouts, renamed: renamePayout, final: candidateOfOrder },
	refund: { booked: bookRefunds, renamed: renameRefund, final: candidateOfOrder },
	earnings: { ...OWN, booked: bookEarnings, renamed: renameEarnings },
	gas: OF_ADDRESS,
	sweep: OF_ADDRESS,
	token: TOKEN,
	stray: STRAY,
	withdrawal: OWN,
	consolidation: OWN,
};

/**
 * Stores that the network has taken the transactions, with all that follows: orders, books, webhooks. Atomic for each
 * transaction. The ids of the webhook events. `firstPoll`: milliseconds until the chain is queried for them.
 */
export async function recordSent(
	db: DrizzleD1Database,
	taken: readonly TransactionRow[],
	now: number,
	firstPoll: number,
): Promise<string[]> {
	const eventIds: string[] = [];
	for (const [kind, rows] of Map.groupBy(taken, (row) => row.kind))
		for (let start = 0; start < rows.length; start += PER_BATCH) {
			const part = rows.slice(start, start + PER_BATCH);
			const booked = await EFFECTS[kind].booked(db, part, now);
			const moves = part.flatMap((row, i) => {
				const found = booked[i];
				return found ? [{ ...found, statements: [storeSent(db, row, now, firstPoll), ...found.statements] }] : [];
			});
			for (const written of await writeMoves(db, moves)) eventIds.push(...written.eventIds);
		}
	return eventIds;
}
