/** D1 takes one batch as one transaction; many small writes go in parts of a size that it likes. */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Statement } from '../treasury/move-order.ts';

const STATEMENTS_PER_BATCH = 50;

/** Each statement stands alone: a part that fails leaves the parts before it written. @throws what D1 throws. */
export async function runInBatches(db: DrizzleD1Database, statements: readonly Statement[]): Promise<void> {
	for (let start = 0; start < statements.length; start += STATEMENTS_PER_BATCH) {
		await runBatch(db, statements.slice(start, start + STATEMENTS_PER_BATCH));
	}
}

/** Atomic: all of them or none. */
export async function runBatch(db: DrizzleD1Database, statements: readonly Statement[]): Promise<void> {
	const [first, ...rest] = statements;
	if (first) await db.batch([first, ...rest]);
}
