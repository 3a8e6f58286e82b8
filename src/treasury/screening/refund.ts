/** Screening of a refund that the operator commands: asked at once. */
import { eq } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { orders } from '../../orders/table.ts';
import { unclaimedDeposits } from '../deposits/settle-store.ts';
import { askingsOf } from './orders.ts';
import { askAndStore } from './screener.ts';
import { isScreeningOn, type ScreeningVariables } from './service.ts';
import { screeningsOf } from './store.ts';
import { storedFor, subjectsOfRefund } from './verdict.ts';

/** Questions of one run and at once: six slow answers of 5 s each are half of what the command waits. */
const ASKED = 24;
const AT_ONCE = 4;

/**
 * Asks what must be accepted before the order is refunded and is not yet: what was never asked, and what the service
 * held. Each answer is stored on its own. @throws what D1 throws
 */
export async function screenForRefund(env: ScreeningVariables, db: DrizzleD1Database, orderId: string): Promise<void> {
	if (!isScreeningOn(env)) return;
	const [[order], unclaimed, screened] = await Promise.all([
		db.select().from(orders).where(eq(orders.id, orderId)),
		unclaimedDeposits(db, orderId),
		screeningsOf(db, orderId),
	]);
	if (!order || unclaimed.length === 0) return;
	const open = subjectsOfRefund(order, unclaimed).filter((subject) => {
		const row = storedFor(subject, screened);
		return row === undefined || (row.verdict === 'hold' && row.decidedBy === 'service');
	});
	const asked = askingsOf({ order, screened }, open.slice(-ASKED));
	for (let start = 0; start < asked.length; start += AT_ONCE)
		await Promise.all(asked.slice(start, start + AT_ONCE).map((asking) => askAndStore(env, db, asking)));
}
