/**
 * A transaction between our own wallets, or to the operator, whose time is over. Nobody is owed it, and what it was to
 * move is where it was: its row goes. A pay-in address, a candidate still, is planned anew; a withdrawal the operator may
 * ask for again. What is owed to somebody is never abandoned.
 */
import { and, eq } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { BroadcastRejected } from '../../chains/errors.ts';
import { log } from '../../log.ts';
import { type TransactionRow, transactions } from '../table.ts';

/** Whether it was; `refusal`: what its broadcast brought. */
export async function isAbandoned(
	db: DrizzleD1Database,
	{ id, network, kind, state }: TransactionRow,
	refusal: unknown,
): Promise<boolean> {
	if (!(refusal instanceof BroadcastRejected)) return false;
	// Its coins are there no more: a reorganisation took one away.
	const isConsolidation = kind === 'consolidation' && refusal.taken;
	const isOwedToNobody = kind === 'gas' || kind === 'sweep' || kind === 'withdrawal';
	if (!isConsolidation && !(isOwedToNobody && refusal.expired)) return false;
	log(kind === 'consolidation' || kind === 'withdrawal' ? `${kind}_abandoned` : 'sweep_abandoned', {
		payoutId: id,
		network,
		kind,
		reason: refusal.message,
	});
	await db.delete(transactions).where(and(eq(transactions.id, id), eq(transactions.state, state)));
	return true;
}
