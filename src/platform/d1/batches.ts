/** Writing to D1 in batches. D1 runs one batch as one transaction. */
import type { BatchItem } from 'drizzle-orm/batch';
import type { Db } from './database.ts';

/** A query that a batch takes; it runs with the batch and not before. */
export type Statement = BatchItem<'sqlite'>;

/** Large enough for few round trips, and small enough that one batch does not block the database for long. */
const STATEMENTS_PER_BATCH = 50;

/**
 * For statements that do not depend on each other: a batch that fails leaves the batches before it written. @throws
 * what D1 throws
 */
export async function runInBatches(db: Db, statements: readonly Statement[]): Promise<void> {
	for (let start = 0; start < statements.length; start += STATEMENTS_PER_BATCH) {
		await runBatch(db, statements.slice(start, start + STATEMENTS_PER_BATCH));
	}
}

/** Atomic: all statements or none. @throws what D1 throws */
export async function runBatch(db: Db, statements: readonly Statement[]): Promise<void> {
	const [first, ...rest] = statements;
	if (first) await db.batch([first, ...rest]);
}
