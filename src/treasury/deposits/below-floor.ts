/**
 * A deposit that would bring less than its order's floor goes back to the refund address by itself, by `planRefund` and so
 * through screening (book: contract, "A floor under the rate"). Until the refund is planned the order stays due, and each
 * poll judges it again: where the rate is back above the floor, it is exchanged.
 */
import { and, eq, inArray } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Settlement } from '../../orders/settlement.ts';
import { orders } from '../../orders/table.ts';
import { log, logError } from '../../platform/log.ts';
import { figuresOf } from '../move-order.ts';
import { askingsOf } from '../screening/orders.ts';
import type { Screener } from '../screening/screener.ts';
import { subjectsOfRefund, unansweredOf } from '../screening/verdict.ts';
import { isPlannedRefund, planRefund, type RefundMeans } from '../transactions/refund.ts';
import type { Loaded } from './settle-store.ts';

export interface BelowFloor {
	readonly loaded: Loaded;
	/** The exchange that the floor forbids. */
	readonly forbidden: Settlement;
}

/**
 * The order shows the figures that were too low. Atomic: they and the refund are one batch. One order that fails is
 * logged, and left to the next poll.
 */
export async function returnBelowFloor(
	db: DrizzleD1Database,
	below: readonly BelowFloor[],
	means: RefundMeans,
	screener: Screener | null,
): Promise<void> {
	for (const { loaded, forbidden } of below) {
		const { order, rows, screened } = loaded;
		// One that was NEW becomes PENDING in this poll: its partner hears of the deposit first.
		if (order.status !== 'PENDING' && order.status !== 'EMERGENCY') continue;
		try {
			screener?.ask(db, askingsOf(loaded, unansweredOf(subjectsOfRefund(order, rows), screened, means.now)));
			const isOpen = and(eq(orders.id, order.id), inArray(orders.status, ['PENDING', 'EMERGENCY']));
			const shown = { ...figuresOf(forbidden), updatedAt: means.now };
			const result = await planRefund(db, order, means, [db.update(orders).set(shown).where(isOpen)]);
			if (!isPlannedRefund(result)) continue;
			const { toAmount } = forbidden;
			const facts = { orderId: order.id, payoutId: result.payoutId, amount: result.amount };
			log('returned_by_itself', { ...facts, floor: order.minToAmount ?? '', toAmount });
		} catch (error) {
			logError('undecided_not_returned', error, { orderId: order.id });
		}
	}
}
