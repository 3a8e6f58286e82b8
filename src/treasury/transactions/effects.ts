/**
 * The effects of each kind of transaction: when the network has taken it, when another version or another transaction
 * paid instead, and when it is final. One row for each kind.
 */
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits, sumOf } from '../../money/units.ts';
import { PAID, REFUNDED } from '../../orders/lifecycle.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { writeMoves } from '../deposits/settle.ts';
import { bookEarnings } from '../earnings/finish.ts';
import { renameEarnings } from '../earnings/statements.ts';
import { amountsOf, paidEntries, refundedEntries } from '../ledger/entries.ts';
import { insertEntries } from '../ledger/store.ts';
import { type Move, type Moved, moveOrder } from '../move-order.ts';
import { copyReturned, strayDue } from '../strays/store.ts';
import { candidateOfAddress, candidateOfOrder } from '../sweeps/store.ts';
import type { TransactionKind, TransactionRow } from '../table.ts';
import type { Book } from './context.ts';
import { countOrder, loadFinished, renamePayout, renameRefund } from './finish-store.ts';
import { storeSent } from './store.ts';

/** None where the order does not wait for a payout. */
const bookPayouts: Book = async (db, rows, now) =>
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
const bookRefunds: Book = async (db, rows, now) =>
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

const move = (db: Db, what: Move, now: number): Moved => moveOrder(db, what, now, () => crypto.randomUUID());

/** Transactions that one batch stores. */
const PER_BATCH = 20;

export interface Effects {
	readonly booked: Book;
	/** Writes `txId` to every copy of the transaction's id that partners read. */
	readonly renamed: (db: Db, row: TransactionRow, txId: string, now: number) => Statement[];
	/** Written with the row that becomes final: which pay-in address may be swept now. */
	readonly final: (db: Db, row: TransactionRow, now: number) => Statement[];
}

/** The same statements for each, whatever became of what it was planned for. */
const each =
	(statements: (db: Db, row: TransactionRow, now: number) => Statement[]): Book =>
	async (db, rows, now) =>
		rows.map((row) => ({ statements: statements(db, row, now), eventIds: [] }));

/** It moves our own coins: no order, ledger entry or partner depends on it. */
const OWN: Effects = { booked: each(() => []), renamed: () => [], final: () => [] };

/** It may have moved a stray, or be gas for one. */
const OF_ADDRESS: Effects = {
	...OWN,
	final: (db, row, now) => [...candidateOfAddress(db, row, now), ...strayDue(db, row, now)],
};

/** It belongs to no status of its order, whose copy of its strays names it. */
const STRAY: Effects = {
	booked: each((db, row, now) => [copyReturned(db, row, now)]),
	renamed: (db, row, _txId, now) => [copyReturned(db, row, now)],
	final: () => [],
};

/** Its order's copy names it too. */
const TOKEN: Effects = { ...STRAY, final: OF_ADDRESS.final };

export const EFFECTS: Readonly<Record<TransactionKind, Effects>> = {
	payout: { booked: bookPayouts, renamed: renamePayout, final: candidateOfOrder },
	refund: { booked: bookRefunds, renamed: renameRefund, final: candidateOfOrder },
	earnings: { ...OWN, booked: bookEarnings, renamed: renameEarnings },
	gas: OF_ADDRESS,
	sweep: OF_ADDRESS,
	token: TOKEN,
	stray: STRAY,
	withdrawal: OWN,
	consolidation: OWN,
};

/**
 * Stores that the network has taken the transactions, with all that follows: orders, books, webhooks. Atomic for each
 * transaction. The ids of the webhook events. `firstPoll`: milliseconds until the chain is queried for them.
 */
export async function recordSent(db: Db, taken: readonly TransactionRow[], now: number, firstPoll: number) {
	const eventIds: string[] = [];
	for (const [kind, rows] of Map.groupBy(taken, (row) => row.kind))
		for (let start = 0; start < rows.length; start += PER_BATCH) {
			const part = rows.slice(start, start + PER_BATCH);
			const booked = await EFFECTS[kind].booked(db, part, now);
			const moves = part.flatMap((row, i) => {
				const found = booked[i];
				return found ? [{ ...found, statements: [storeSent(db, row, now, firstPoll), ...found.statements] }] : [];
			});
			for (const written of await writeMoves(db, moves)) eventIds.push(...written.eventIds);
		}
	return eventIds;
}
