/**
 * Finishes a payout or a refund that the network has taken. Atomic: one batch stores `sent`, moves the order, balances
 * the books, updates the partner's counters and makes the webhook due. Run again, it changes nothing.
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { PAID, REFUNDED } from '../../orders/lifecycle.ts';
import { writeMoves } from '../deposits/settle.ts';
import { amountsOf, paidEntries, refundedEntries } from '../ledger/entries.ts';
import { insertEntries } from '../ledger/store.ts';
import { type Move, type Moved, moveOrder } from '../move-order.ts';
import type { TransactionRow } from '../table.ts';
import type { RecordSent } from './context.ts';
import { countOrder, type Finished, loadFinished } from './finish-store.ts';
import { storeSent } from './store.ts';

/** Transactions whose orders one batch moves. */
const PER_BATCH = 20;

/** As `Effects.recordSent`. */
export const recordOrdersSent: RecordSent = async (db, taken, now, firstPoll) => {
	const eventIds: string[] = [];
	for (let start = 0; start < taken.length; start += PER_BATCH) {
		const finished = await loadFinished(db, taken.slice(start, start + PER_BATCH));
		const moves = finished.flatMap((each) => {
			const moved = finish(db, each, now);
			moved?.statements.push(storeSent(db, each.row, now, firstPoll));
			return moved ? [moved] : [];
		});
		for (const moved of await writeMoves(db, moves)) eventIds.push(...moved.eventIds);
	}
	return eventIds;
};

/**
 * As `Effects.booked`: `row.txId` is what paid.
 * @throws Error where the order no longer waits for it
 */
export async function bookOrder(db: DrizzleD1Database, row: TransactionRow, now: number): Promise<Moved> {
	const [finished] = await loadFinished(db, [row]);
	const moved = finished ? finish(db, finished, now) : null;
	if (!moved) throw new Error(`the order of transaction ${row.id} no longer waits for it`);
	return moved;
}

const finish = (db: DrizzleD1Database, finished: Finished, now: number): Moved | null =>
	finished.row.kind === 'payout' ? finishPayout(db, finished, now) : finishRefund(db, finished, now);

/** Null where the order does not wait for a payout. */
function finishPayout(db: DrizzleD1Database, { row, order, notify, entries }: Finished, now: number): Moved | null {
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
function finishRefund(
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
	const received = sentBack.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
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
