/** Screening as the operator's commands use it: asked at once, and shown. */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { OrderRow } from '../../orders/table.ts';
import { isoTime, isoTimeOrNull } from '../../platform/time.ts';
import { unclaimedDeposits } from '../../treasury/deposits/settle-store.ts';
import { askingsOf } from '../../treasury/screening/orders.ts';
import { type Asking, askAndStore } from '../../treasury/screening/screener.ts';
import { isScreeningOn } from '../../treasury/screening/service.ts';
import { screeningsOf } from '../../treasury/screening/store.ts';
import type { ScreeningRow } from '../../treasury/screening/table.ts';
import { storedFor, subjectsOfRefund } from '../../treasury/screening/verdict.ts';
import type { Context } from '../command.ts';

/** Questions of one run and at once: six slow answers of 5 s each are half of what the command waits. */
const ASKED = 24;
const AT_ONCE = 4;

/**
 * Asks what must be accepted before the order is refunded and is not yet: what was never asked, and what the service
 * held. Each answer is stored on its own.
 */
export async function askForRefund({ env, db }: Pick<Context, 'env' | 'db'>, order: OrderRow): Promise<void> {
	if (!isScreeningOn(env)) return;
	const [unclaimed, screened] = await Promise.all([unclaimedDeposits(db, order.id), screeningsOf(db, order.id)]);
	if (unclaimed.length === 0) return;
	const open = subjectsOfRefund(order, unclaimed).filter((subject) => {
		const row = storedFor(subject, screened);
		return row === undefined || (row.verdict === 'hold' && row.decidedBy === 'service');
	});
	await askAll(env, db, askingsOf({ order, screened }, open.slice(-ASKED)));
}

async function askAll(env: Context['env'], db: DrizzleD1Database, asked: readonly Asking[]): Promise<void> {
	for (let start = 0; start < asked.length; start += AT_ONCE)
		await Promise.all(asked.slice(start, start + AT_ONCE).map((asking) => askAndStore(env, db, asking)));
}

/** For `order show`. */
export const screeningRecord = (row: ScreeningRow) => ({
	subject: row.subject,
	txId: row.txId || null,
	address: row.address,
	verdict: row.verdict,
	decidedBy: row.decidedBy,
	note: row.note,
	attempts: row.attempts,
	at: isoTime(row.at),
	nextAskAt: isoTimeOrNull(row.nextAskAt),
});
