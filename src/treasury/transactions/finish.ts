/**
 * Finishes a payout or a refund that the network has taken: moves the order, balances the books, updates the partner's
 * counters and makes the webhook due. Run again, it changes nothing.
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits, sumOf } from '../../money/units.ts';
import { PAID, REFUNDED } from '../../orders/lifecycle.ts';
import { amountsOf, paidEntries, refundedEntries } from '../ledger/entries.ts';
import { insertEntries } from '../ledger/store.ts';
import { type Move, type Moved, moveOrder } from '../move-order.ts';
import type { Book } from './context.ts';
import { countOrder, loadFinished } from './finish-store.ts';

/** None where the order does not wait for a payout. */
export const bookPayouts: Book = async (db, rows, now) =>
	(await loadFinished(db, rows)).map((found) => {
		if (found?.order.status !== 'EXCHANGE') return null;
		const { row, order, entries } = found;
		const changes = {
			payoutTxId: row.txId,
			payoutAmount: fromBaseUnits(BigInt(row.amount), assetOf(row.asset).decimals),
		};
		const moved = move(db, { order, steps: [PAID], deposits: [], changes }, now);
		const settled = amountsOf(entries.filter(({ asset }) => asset === order.toAsset));
		moved.statements.push(
			...insertEntries(db, paidEntries({ orderId: order.id, to: order.toAsset }, settled, BigInt(row.amount), now)),
			countOrder(db, order.partnerId, row.usdCents, order.afftaxBps),
		);
		return moved;
	});

/**
 * An order that waits ends with its refund, and so does an order whose payout was given up, or that was deleted before it
 * was paid. An order that has ended already only gets the transaction's id.
 */
export const bookRefunds: Book = async (db, rows, now) =>
	(await loadFinished(db, rows)).map((found) => {
		if (!found) return null;
		const { row, order, deposits: sentBack, hasPayout } = found;
		const isGivenUp = order.status === 'EXCHANGE' && !hasPayout;
		// Deleted before it was paid. It has to end, because what lies at the address of an open order is not swept.
		const isDeleted = order.status === 'NEW' && order.deletedAt !== null;
		const waits = order.status === 'EMERGENCY' || order.status === 'PENDING' || isGivenUp || isDeleted;
		// Deposits that came while the refund was under way are judged again, now that the order has ended.
		const changes = { refundTxId: row.txId, ...(waits && { factsAt: 0 }), ...(isDeleted && { holdsCap: false }) };
		const steps = waits ? [REFUNDED] : [];
		const moved = move(db, { order, steps, deposits: [], changes }, now);
		const of = { orderId: order.id, payoutId: row.id, asset: row.asset };
		const sent = { received: sumOf(sentBack), sent: BigInt(row.amount) };
		moved.statements.push(...insertEntries(db, refundedEntries(of, sent, now)));
		return moved;
	});

const move = (db: DrizzleD1Database, what: Move, now: number): Moved =>
	moveOrder(db, what, now, () => crypto.randomUUID());
