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
import { countOrder, type Finished, loadFinished } from './finish-store.ts';

/** `finish`: moves the order of one; null where that does not wait for it any more. */
export const booking =
	(finish: (db: DrizzleD1Database, finished: Finished, now: number) => Moved | null): Book =>
	async (db, rows, now) =>
		(await loadFinished(db, rows)).map((found) => found && finish(db, found, now));

/** Null where the order does not wait for a payout. */
export function finishPayout(
	db: DrizzleD1Database,
	{ row, order, notify, entries }: Finished,
	now: number,
): Moved | null {
	if (order.status !== 'EXCHANGE') return null;
	const changes = {
		payoutTxId: row.txId,
		payoutAmount: fromBaseUnits(BigInt(row.amount), assetOf(row.asset).decimals),
	};
	const moved = move(db, { order, steps: [PAID], deposits: [], changes, notify }, now);
	const settled = amountsOf(entries.filter(({ asset }) => asset === order.toAsset));
	moved.statements.push(
		...insertEntries(db, paidEntries({ orderId: order.id, to: order.toAsset }, settled, BigInt(row.amount), now)),
		countOrder(db, order.partnerId, row.usdCents, order.afftaxBps),
	);
	return moved;
}

/**
 * An order that waits ends with its refund, and so does an order whose payout was given up, or that was deleted before it
 * was paid. An order that has ended already only gets the transaction's id.
 */
export function finishRefund(
	db: DrizzleD1Database,
	{ row, order, notify, deposits: sentBack, hasPayout }: Finished,
	now: number,
): Moved {
	const isGivenUp = order.status === 'EXCHANGE' && !hasPayout;
	// Deleted before it was paid. It has to end, because what lies at the address of an open order is not swept.
	const isDeleted = order.status === 'NEW' && order.deletedAt !== null;
	const waits = order.status === 'EMERGENCY' || order.status === 'PENDING' || isGivenUp || isDeleted;
	// Deposits that came while the refund was under way are judged again, now that the order has ended.
	const changes = { refundTxId: row.txId, ...(waits && { factsAt: 0 }), ...(isDeleted && { holdsCap: false }) };
	const told = notify && !isDeleted;
	const moved = move(db, { order, steps: waits ? [REFUNDED] : [], deposits: [], changes, notify: told }, now);
	const received = sumOf(sentBack);
	moved.statements.push(
		...insertEntries(
			db,
			refundedEntries(
				{ orderId: order.id, payoutId: row.id, asset: row.asset },
				{ received, sent: BigInt(row.amount) },
				now,
			),
		),
	);
	return moved;
}

const move = (db: DrizzleD1Database, what: Move, now: number): Moved =>
	moveOrder(db, what, now, () => crypto.randomUUID());
