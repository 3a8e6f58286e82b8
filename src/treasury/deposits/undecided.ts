/**
 * Nothing waits for a person for ever. A deposit about which nobody decided in the operator's time (`site update
 * --decision-hours`) goes back to the refund address by itself, by `planRefund` and so through screening: of an order that
 * is EMERGENCY or held, has ended or is deleted, or whose payout was given up. So does dust that is left when the address
 * of an order that has ended is watched no more. What does not pay for its way back is booked
 * to the account `unreturned`. Only an answer about the refund address, or a hold of the operator's own, keeps it longer.
 */
import { eq, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { UNRETURNED } from '../../orders/lifecycle.ts';
import type { SettledDeposit } from '../../orders/seal.ts';
import { deposits, type OrderRow, orders } from '../../orders/table.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import { log, logError } from '../../platform/log.ts';
import { type Unreturned, unreturnedEntries } from '../ledger/entries.ts';
import { insertEntries } from '../ledger/store.ts';
import { moveOrder } from '../move-order.ts';
import { askingsOf } from '../screening/orders.ts';
import type { Screener } from '../screening/screener.ts';
import { lapseStatements } from '../screening/store.ts';
import { subjectsOfRefund, unansweredOf } from '../screening/verdict.ts';
import { transactions } from '../table.ts';
import { isPlannedRefund, planRefund, type RefundMeans } from '../transactions/refund.ts';
import { claimDeposits, type Loaded } from './settle-store.ts';

/** The ids of the webhook events that this made. One order that fails is logged, and left to the next poll. */
export async function returnUndecided(
	db: DrizzleD1Database,
	loaded: readonly Loaded[],
	means: RefundMeans,
	screener: Screener | null,
): Promise<string[]> {
	const eventIds: string[] = [];
	for (const each of loaded) {
		try {
			eventIds.push(...(await giveBack(db, each, means, screener)));
		} catch (error) {
			logError('undecided_not_returned', error, { orderId: each.order.id });
		}
	}
	return eventIds;
}

/**
 * A refund that was asked for, up to the worth that the operator lets go by itself (`site update --asked-refund-usd`).
 * Screening holds it as long as it holds any other, and what does not pay for its way back is left to the operator.
 */
export async function returnAsked(
	db: DrizzleD1Database,
	loaded: readonly Loaded[],
	means: RefundMeans,
	screener: Screener | null,
): Promise<void> {
	for (const { order, rows, screened } of loaded) {
		try {
			const unanswered = unansweredOf(subjectsOfRefund(order, rows), screened, means.now);
			screener?.ask(db, askingsOf({ order, screened }, unanswered));
			const result = await planRefund(db, order, means, []);
			if (!isPlannedRefund(result)) continue;
			log('returned_by_itself', { orderId: order.id, payoutId: result.payoutId, amount: result.amount });
		} catch (error) {
			logError('undecided_not_returned', error, { orderId: order.id });
		}
	}
}

async function giveBack(
	db: DrizzleD1Database,
	{ order, rows, screened }: Loaded,
	means: RefundMeans,
	screener: Screener | null,
): Promise<string[]> {
	const { now } = means;
	await runBatch(db, lapseStatements(db, order, screened, now));
	const subjects = subjectsOfRefund(order, rows);
	screener?.ask(db, askingsOf({ order, screened }, unansweredOf(subjects, screened, now)));
	const result = await planRefund(db, order, means, []);
	if (isPlannedRefund(result)) {
		log('returned_by_itself', { orderId: order.id, payoutId: result.payoutId, amount: result.amount });
		return [];
	}
	if (!result.tooSmall) return [];
	const { received, deposits: small } = result.tooSmall;
	const cause: Unreturned = `unreturned ${crypto.randomUUID()}`;
	const isDeletedNew = order.status === 'NEW' && order.deletedAt !== null;
	const isOpen = order.status === 'PENDING' || order.status === 'EMERGENCY' || isDeletedNew;
	const ends = isOpen || (order.status === 'EXCHANGE' && !(await hasPayout(db, order.id)));
	const changes = { ...(ends && { factsAt: 0 }), ...(isDeletedNew && { holdsCap: false }) };
	const move = { order, steps: ends ? [UNRETURNED] : [], deposits: [], changes };
	const moved = moveOrder(db, move, now, () => crypto.randomUUID());
	await runBatch(db, [
		...moved.statements,
		claimDeposits(db, order.id, cause, small),
		requireClaimed(db, order, cause, small),
		...insertEntries(db, unreturnedEntries({ orderId: order.id, cause }, order.fromAsset, received, now)),
	]);
	log('returned_by_itself', { orderId: order.id, payoutId: cause, amount: '0' });
	return moved.eventIds;
}

async function hasPayout(db: DrizzleD1Database, orderId: string): Promise<boolean> {
	const rows = await db
		.select({ id: transactions.id })
		.from(transactions)
		// Literal, for the partial index.
		.where(sql`${transactions.orderId} = ${orderId} and ${transactions.kind} = 'payout'`);
	return rows.length > 0;
}

/** Where a refund took one of them meanwhile, the status becomes null, which the column refuses: the whole batch fails. */
const requireClaimed = (
	db: DrizzleD1Database,
	{ id }: OrderRow,
	cause: Unreturned,
	small: readonly SettledDeposit[],
): Statement =>
	db
		.update(orders)
		.set({
			status: sql`case when (select count(*) from ${deposits} where ${deposits.orderId} = ${id}
				and ${deposits.payoutId} = ${cause}) = ${small.length} then ${orders.status} end`,
		})
		.where(eq(orders.id, id));
