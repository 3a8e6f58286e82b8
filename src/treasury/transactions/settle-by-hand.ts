/**
 * A payout that cannot arrive any more, and that the operator has paid himself, from a wallet of his own: its case is
 * closed. The service signs nothing for it, before or after. Atomic: one batch ends the row, moves an order that still
 * waits for it, balances the books and makes the webhook due; if the row is not as it was read, the batch fails.
 */
import { eq, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { runBatch } from '../../d1/batches.ts';
import { bookingOf } from '../earnings/finish.ts';
import type { Statement } from '../move-order.ts';
import { candidateStatements } from '../sweeps/candidates.ts';
import { type TransactionRow, transactions } from '../table.ts';
import { isDeadText } from './blocked.ts';
import { finishingOf } from './finish.ts';
import { namedStatements } from './versions.ts';
import { GOES_ON } from './wait-reason.ts';

/** Is it on record that nothing of it can arrive? */
export const isDead = ({ state, held, finalAt }: Pick<TransactionRow, 'state' | 'held' | 'finalAt'>): boolean =>
	(state === 'signed' || state === 'sent') && isDeadText(held, finalAt !== null);

/**
 * `payout`: a dead one. `also`: what is written with it. The ids of the webhook events that this made.
 * @throws what the batch fails with: the payout, or its order, has moved meanwhile
 */
export async function settleByHand(
	db: DrizzleD1Database,
	payout: TransactionRow,
	txId: string,
	now: number,
	also: readonly Statement[],
): Promise<string[]> {
	const paid: TransactionRow = { ...payout, txId };
	const { statements, eventIds } = await followingOf(db, paid, now);
	await runBatch(db, [closed(db, payout, txId, now), ...statements, ...candidateStatements(db, payout, now), ...also]);
	return eventIds;
}

/** What is sent was booked and announced then: only the transaction is another one. */
async function followingOf(db: DrizzleD1Database, paid: TransactionRow, now: number) {
	if (paid.state === 'sent') return { statements: namedStatements(db, paid, paid.txId ?? '', now), eventIds: [] };
	// Nobody waits for it: the coins are where they were.
	if (paid.kind === 'withdrawal') return { statements: [], eventIds: [] };
	return paid.kind === 'earnings' ? bookingOf(db, paid, now) : finishingOf(db, paid, now);
}

function closed(db: DrizzleD1Database, payout: TransactionRow, txId: string, now: number): Statement {
	const isAsRead = sql`${transactions.state} = ${payout.state} and ${transactions.held} = ${payout.held}`;
	return db
		.update(transactions)
		.set({
			// Null else, which the column refuses, and the batch with it.
			state: sql`case when ${isAsRead} then 'final' end`,
			...{ held: null, ...GOES_ON },
			settledTxId: txId,
			fee: payout.fee ?? '0',
			sentAt: payout.sentAt ?? now,
			finalAt: payout.finalAt ?? now,
		})
		.where(eq(transactions.id, payout.id));
}
