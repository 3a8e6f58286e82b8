/** Stores why transactions of our own wait where nothing else of their rows changes. */
import { and, eq } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { runInBatches } from '../../d1/batches.ts';
import type { Statement } from '../move-order.ts';
import { type TransactionRow, transactions } from '../table.ts';
import { waitsFor } from './wait-reason.ts';

/** Writes only what is new. A row that has moved on meanwhile stays as it is. `now`: Unix milliseconds. */
export async function noteWaiting(
	db: DrizzleD1Database,
	rows: readonly TransactionRow[],
	because: string,
	now: number,
): Promise<void> {
	const news = rows.filter(({ waitsBecause }) => waitsBecause !== because);
	await runInBatches(
		db,
		news.map(
			(row): Statement =>
				db
					.update(transactions)
					.set(waitsFor(row, because, now))
					.where(and(eq(transactions.id, row.id), eq(transactions.state, row.state))),
		),
	);
}
