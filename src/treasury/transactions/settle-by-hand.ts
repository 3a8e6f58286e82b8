/**
 * Closes a dead transaction that the operator has paid from another wallet. The service signs nothing for it. Atomic:
 * one batch ends the row, moves an order that still waits for it, balances the books and makes the webhook due. If the
 * row has changed since it was read, the batch fails.
 */
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import type { TransactionRow } from '../table.ts';
import { EFFECTS } from './effects.ts';
import { closeSettled } from './store.ts';

/**
 * `dead`: as `isDead` says. `txId`: the transaction by which the operator paid. `also`: what is written with it.
 * Returns the ids of the webhook events that this made.
 * @throws what the batch fails with: the transaction, or its order, has moved meanwhile
 */
export async function settleByHand(
	db: Db,
	dead: TransactionRow,
	{ txId, now, also }: { readonly txId: string; readonly now: number; readonly also: readonly Statement[] },
): Promise<readonly string[]> {
	const effects = EFFECTS[dead.kind];
	// If it was sent, it was booked and announced then: only the id of the transaction changes.
	const [booked] =
		dead.state === 'sent'
			? [{ statements: effects.renamed(db, dead, txId, now), eventIds: [] }]
			: await effects.booked(db, [{ ...dead, txId }], now);
	if (!booked) throw new Error(`nothing waits for transaction ${dead.id} any more`);
	const { statements, eventIds } = booked;
	await runBatch(db, [closeSettled(db, dead, txId, now), ...statements, ...effects.final(db, dead, now), ...also]);
	return eventIds;
}
