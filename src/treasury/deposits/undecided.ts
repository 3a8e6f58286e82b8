/**
 * Nothing waits for a person for ever. A deposit about which nobody decided in the operator's time (`site update
 * --decision-hours`) goes back to the refund address by itself, by `planRefund` and so through screening: of an order that
 * is EMERGENCY or held, has ended or is deleted, or whose payout was given up. So does dust that is left when the address
 * of an order that has ended is watched no more. What does not pay for its way back is booked
 * to the account `unreturned`. Only an answer about the refund address, or a hold of the operator's own, keeps it longer.
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import { UNRETURNED } from '../../orders/lifecycle.ts';
import type { SettledDeposit } from '../../orders/seal.ts';
import type { Settlement } from '../../orders/settlement.ts';
import { deposits, type OrderRow, orders } from '../../orders/table.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { log, logError } from '../../platform/log.ts';
import { type Unreturned, unreturnedEntries } from '../ledger/entries.ts';
import { insertEntries } from '../ledger/store.ts';
import { figuresOf, moveOrder } from '../move-order.ts';
import { askingsOf } from '../screening/orders.ts';
import type { Screener } from '../screening/screener.ts';
import { lapseStatements } from '../screening/store.ts';
import { subjectsOfRefund, unansweredOf } from '../screening/verdict.ts';
import { transactions } from '../table.ts';
import { isPlannedRefund, planRefund, type RefundMeans } from '../transactions/refund.ts';
import { claimDeposits, type Loaded } from './settle-store.ts';

interface Means extends RefundMeans {
	/** Null where screening is off. */
	readonly screener: Screener | null;
}

/** The ids of the webhook events that this made. */
export async function returnUndecided(db: Db, loaded: readonly Loaded[], means: Means): Promise<string[]> {
	const eventIds: string[] = [];
	await eachByItself(loaded, async (each) => void eventIds.push(...(await giveBack(db, each, means))));
	return eventIds;
}

/**
 * A refund that was asked for, up to the worth that the operator lets go by itself (`site update --asked-refund-usd`).
 * Screening holds it as long as it holds any other, and what does not pay for its way back is left to the operator.
 */
export const returnAsked = (db: Db, loaded: readonly Loaded[], means: Means): Promise<void> =>
	eachByItself(loaded, (each) => refund(db, each, means));

/**
 * A deposit that would bring less than its order's floor goes back to the refund address by itself, by `planRefund` and so
 * through screening (book: contract, "A floor under the rate"). Until the refund is planned the order stays due, and each
 * poll judges it again: where the rate is back above the floor, it is exchanged.
 *
 * `forbidden`: the exchange that the floor forbids; the order shows its figures, which were too low. Atomic: they and the
 * refund are one batch.
 */
export const returnBelowFloor = (
	db: Db,
	below: readonly { readonly loaded: Loaded; readonly forbidden: Settlement }[],
	means: Means,
): Promise<void> => {
	const forbiddenOf = new Map(below.map(({ loaded, forbidden }) => [loaded, forbidden]));
	return eachByItself([...forbiddenOf.keys()], async (each) => {
		const { order } = each;
		const forbidden = forbiddenOf.get(each);
		// One that was NEW becomes PENDING in this poll: its partner hears of the deposit first.
		if (!forbidden || (order.status !== 'PENDING' && order.status !== 'EMERGENCY')) return;
		const isOpen = and(eq(orders.id, order.id), inArray(orders.status, ['PENDING', 'EMERGENCY']));
		const shown = { ...figuresOf(forbidden), updatedAt: means.now };
		const facts = { floor: order.minToAmount ?? '', toAmount: forbidden.toAmount };
		await refund(db, each, means, { facts, also: [db.update(orders).set(shown).where(isOpen)] });
	});
};

/** One order that fails is logged, and left to the next poll. */
async function eachByItself(all: readonly Loaded[], send: (one: Loaded) => Promise<unknown>): Promise<void> {
	for (const one of all) {
		try {
			await send(one);
		} catch (error) {
			logError('undecided_not_returned', error, { orderId: one.order.id });
		}
	}
}

/** `facts`: for the log; `also`: written with the refund. */
async function refund(
	db: Db,
	{ order, rows, screened }: Loaded,
	means: Means,
	{ facts = {}, also = [] }: { facts?: Readonly<Record<string, string>>; also?: readonly Statement[] } = {},
) {
	const unanswered = unansweredOf(subjectsOfRefund(order, rows), screened, means.now);
	means.screener?.ask(db, askingsOf({ order, screened }, unanswered));
	const result = await planRefund(db, order, means, also);
	if (isPlannedRefund(result))
		log('returned_by_itself', { orderId: order.id, payoutId: result.payoutId, amount: result.amount, ...facts });
	return result;
}

async function giveBack(db: Db, loaded: Loaded, means: Means): Promise<string[]> {
	const { order, screened } = loaded;
	const { now } = means;
	await runBatch(db, lapseStatements(db, order, screened, now));
	const result = await refund(db, loaded, means);
	if (isPlannedRefund(result) || !result.tooSmall) return [];
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

async function hasPayout(db: Db, orderId: string): Promise<boolean> {
	const rows = await db
		.select({ id: transactions.id })
		.from(transactions)
		// Literal, for the partial index.
		.where(sql`${transactions.orderId} = ${orderId} and ${transactions.kind} = 'payout'`);
	return rows.length > 0;
}

/** Where a refund took one of them meanwhile, the status becomes null, which the column refuses: the whole batch fails. */
const requireClaimed = (db: Db, { id }: OrderRow, cause: Unreturned, small: readonly SettledDeposit[]): Statement =>
	db
		.update(orders)
		.set({
			status: sql`case when (select count(*) from ${deposits} where ${deposits.orderId} = ${id}
				and ${deposits.payoutId} = ${cause}) = ${small.length} then ${orders.status} end`,
		})
		.where(eq(orders.id, id));
