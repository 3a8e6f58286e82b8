/** Waiting that a test does not test. */
import type { TestService } from './service.ts';

const LONGEST_MILLISECONDS = 60_000;

/** As if a minute had passed for each return and each transaction that is to be looked at again within one. */
export async function endPauses({ database }: Pick<TestService, 'database'>): Promise<void> {
	const now = Date.now();
	const ended = (table: string, column: string) =>
		database
			.prepare(`UPDATE ${table} SET ${column} = 0 WHERE ${column} > ?1 AND ${column} <= ?2`)
			.bind(now, now + LONGEST_MILLISECONDS);
	await database.batch([
		ended('strays', 'due_at'),
		ended('transactions', 'next_attempt_at'),
		ended('sweep_candidates', 'next_attempt_at'),
	]);
}
