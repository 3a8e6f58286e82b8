/**
 * A transaction between our own wallets whose time is over. Nobody waits for it, and what it was to move is where it was:
 * its row goes, and its address, a candidate still, is planned anew. What is owed to somebody is never abandoned.
 */
import { and, eq } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { BroadcastRejected } from '../chains/port.ts';
import { log } from '../http/log.ts';
import { type PayoutRow, payouts } from './table.ts';

/** Whether it was; `refusal`: what its broadcast brought. */
export async function isAbandoned(
	db: DrizzleD1Database,
	{ id, network, kind, state }: PayoutRow,
	refusal: unknown,
): Promise<boolean> {
	if (!(refusal instanceof BroadcastRejected)) return false;
	const isSweep = (kind === 'gas' || kind === 'sweep') && refusal.expired;
	// Its coins are there no more: a reorganisation took one away.
	const isConsolidation = kind === 'consolidation' && refusal.taken;
	if (!isSweep && !isConsolidation) return false;
	log(isSweep ? 'sweep_abandoned' : 'consolidation_abandoned', {
		payoutId: id,
		network,
		kind,
		reason: refusal.message,
	});
	await db.delete(payouts).where(and(eq(payouts.id, id), eq(payouts.state, state)));
	return true;
}
