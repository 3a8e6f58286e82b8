/**
 * The effects of each kind of transaction: when the network has taken it, when another version or another transaction
 * paid instead, and when it is final. One row for each kind.
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { runInBatches, type Statement } from '../../platform/d1/batches.ts';
import { bookEarnings, recordEarningsSent } from '../earnings/finish.ts';
import { renameEarnings } from '../earnings/statements.ts';
import { copyReturned, strayDue } from '../strays/store.ts';
import { candidateOfAddress, candidateOfOrder } from '../sweeps/store.ts';
import type { TransactionKind, TransactionRow } from '../table.ts';
import type { RecordSent } from './context.ts';
import { bookOrder, recordOrdersSent } from './finish.ts';
import { renamePayout, renameRefund } from './finish-store.ts';
import { storeSent } from './store.ts';

export interface Booked {
	readonly statements: readonly Statement[];
	/** The ids of the webhook events that the statements make. */
	readonly eventIds: readonly string[];
}

export interface Effects {
	readonly recordSent: RecordSent;
	/**
	 * The same without the transaction's own row; `row.txId` is what paid. @throws where nothing waits for it any more
	 */
	readonly booked: (db: DrizzleD1Database, row: TransactionRow, now: number) => Promise<Booked>;
	/** Writes `txId` to every copy of the transaction's id that partners read. */
	readonly renamed: (db: DrizzleD1Database, row: TransactionRow, txId: string, now: number) => Statement[];
	/** Written with the row that becomes final: which pay-in address may be swept now. */
	readonly final: (db: DrizzleD1Database, row: TransactionRow, now: number) => Statement[];
}

/** It moves our own coins: no order, ledger entry or partner depends on it. */
const OWN: Effects = {
	recordSent: async (db, taken, now, firstPoll) => {
		await runInBatches(
			db,
			taken.map((row) => storeSent(db, row, now, firstPoll)),
		);
		return [];
	},
	booked: async () => ({ statements: [], eventIds: [] }),
	renamed: () => [],
	final: () => [],
};

/** It may have moved a stray, or be gas for one. */
const OF_ADDRESS: Effects = {
	...OWN,
	final: (db, row, now) => [...candidateOfAddress(db, row, now), ...strayDue(db, row, now)],
};

/** It belongs to no status of its order, whose copy of its strays names it. */
const STRAY: Effects = {
	recordSent: async (db, taken, now, firstPoll) => {
		await runInBatches(
			db,
			taken.flatMap((row) => [storeSent(db, row, now, firstPoll), copyReturned(db, row, now)]),
		);
		return [];
	},
	booked: async (db, row, now) => ({ statements: [copyReturned(db, row, now)], eventIds: [] }),
	renamed: (db, row, _txId, now) => [copyReturned(db, row, now)],
	final: () => [],
};

const OF_ORDER = { recordSent: recordOrdersSent, booked: bookOrder, final: candidateOfOrder };

export const EFFECTS: Readonly<Record<TransactionKind, Effects>> = {
	payout: { ...OF_ORDER, renamed: renamePayout },
	refund: { ...OF_ORDER, renamed: renameRefund },
	earnings: { ...OWN, recordSent: recordEarningsSent, booked: bookEarnings, renamed: renameEarnings },
	gas: OF_ADDRESS,
	sweep: OF_ADDRESS,
	stray: STRAY,
	withdrawal: OWN,
	consolidation: OWN,
};

/** As `Effects.recordSent`, for transactions of any kinds. */
export const recordSent: RecordSent = async (db, taken, now, firstPoll) => {
	const eventIds: string[] = [];
	for (const [record, rows] of Map.groupBy(taken, ({ kind }) => EFFECTS[kind].recordSent))
		eventIds.push(...(await record(db, rows, now, firstPoll)));
	return eventIds;
};
