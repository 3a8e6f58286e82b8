/**
 * One order's move, as the statements of one batch: history (its key is the compare-and-set), the order's row, the payout
 * that is planned with it, and webhook events. Pure. The caller runs the batch, which is atomic.
 */
import { and, eq, sql } from 'drizzle-orm';
import { assetOf } from '../catalog/assets.ts';
import { fromBaseUnits, sumOf, toBaseUnits } from '../money/units.ts';
import { countedTogether } from '../orders/dust.ts';
import { counted, type DepositFact, type Step } from '../orders/lifecycle.ts';
import { NO_REFUND_ASKED } from '../orders/refund-answer.ts';
import type { Settlement } from '../orders/settlement.ts';
import { type OrderRow, orderChanges, orders } from '../orders/table.ts';
import { orderView } from '../orders/view.ts';
import type { Statement } from '../platform/d1/batches.ts';
import type { Db } from '../platform/d1/database.ts';
import { statusChangedEvent } from '../webhooks/events/order-status-changed.ts';
import { webhookEvents } from '../webhooks/table.ts';

export interface Move {
	readonly order: OrderRow;
	readonly steps: readonly Step[];
	readonly deposits: readonly DepositFact[];
	/** Where a step settles: the payout that is planned with it (`deposits/plan-payout.ts`). */
	readonly planned?: readonly Statement[];
	/** Other changes in the row, with the last step or without one. */
	readonly changes?: Partial<OrderRow>;
}

export interface Moved {
	readonly statements: Statement[];
	readonly after: OrderRow;
	readonly eventIds: string[];
}

/**
 * `newId`: a source of fresh UUIDs. No statements where nothing changes.
 * @throws Error where a step settles and no payout is planned with it
 */
export function moveOrder(db: Db, move: Move, now: number, newId: () => string): Moved {
	let after: OrderRow = { ...move.order, ...depositCopies(move), updatedAt: now };
	const statements: Statement[] = [];
	const eventIds: string[] = [];
	let ended: Partial<OrderRow> = {};
	for (const step of move.steps) {
		const before = after;
		ended = { ...ended, ...endedBy(step) };
		after = { ...stepped(before, step, now), ...move.changes };
		statements.push(
			db
				.insert(orderChanges)
				.values({
					orderId: after.id,
					sequence: after.sequence,
					status: after.status,
					previousStatus: before.status,
					cause: step.cause,
					at: now,
				}),
		);
		if (step.settlement) {
			if (!move.planned) throw new Error(`order ${after.id} is settled without a planned payout`);
			statements.push(...move.planned);
		}
		if (after.deletedAt === null) {
			const id = newId();
			eventIds.push(id);
			const event = statusChangedEvent({
				id,
				partnerId: after.partnerId,
				orderId: after.id,
				sequence: after.sequence,
				previousStatus: before.status,
				order: orderView(after, now),
				now,
			});
			statements.push(db.insert(webhookEvents).values(event));
		}
	}
	if (move.steps.length === 0) after = { ...after, ...move.changes };
	if (statements.length > 0 || hasChanges(move) || copiesDiffer(move.order, after)) {
		// Without a step no history row guards the order, so the sequence that was read is the condition.
		const guard = and(eq(orders.id, after.id), eq(orders.sequence, move.order.sequence));
		// Columns that others write without a step (a deletion, a payout's new id) are not written over by an older read.
		const columns =
			move.steps.length > 0 ? movedColumns(after) : { ...depositCopies(move), ...move.changes, updatedAt: now };
		statements.push(
			db
				.update(orders)
				.set({ ...columns, ...judgedColumn(move.order, after), ...ended })
				.where(guard),
		);
	}
	return { statements, after, eventIds };
}

/**
 * Facts count as judged only where nobody asked for another judgement since they were read: that is asked by writing 0,
 * and the sequence says nothing of it.
 */
function judgedColumn(before: OrderRow, { factsAt }: OrderRow) {
	if (factsAt === 0) return { factsAt };
	if (factsAt === before.factsAt) return {};
	return { factsAt: sql`case when ${orders.factsAt} = ${before.factsAt} then ${factsAt} else ${orders.factsAt} end` };
}

/** The columns that change with the status. The others are the terms, or change with a choice or a deletion. */
const movedColumns = (order: OrderRow) => ({
	status: order.status,
	sequence: order.sequence,
	emergencyReasons: order.emergencyReasons,
	limitSide: order.limitSide,
	toAmount: order.toAmount,
	rate: order.rate,
	networkFee: order.networkFee,
	usdCents: order.usdCents,
	depositTxId: order.depositTxId,
	depositAmount: order.depositAmount,
	payoutTxId: order.payoutTxId,
	payoutAmount: order.payoutAmount,
	refundTxId: order.refundTxId,
	holdsCap: order.holdsCap,
	paidCents: order.paidCents,
	updatedAt: order.updatedAt,
	finishedAt: order.finishedAt,
});

function stepped(order: OrderRow, step: Step, now: number): OrderRow {
	const next: OrderRow = { ...order, status: step.status, sequence: order.sequence + 1 };
	if (step.emergencyReasons) {
		next.emergencyReasons = step.emergencyReasons;
		next.limitSide = step.limitSide ?? null;
	}
	Object.assign(next, endedBy(step));
	const figures = step.settlement ?? step.worth;
	if (figures) Object.assign(next, figuresOf(figures));
	Object.assign(next, centsOf(order, step));
	if (step.settlement) {
		next.depositAmount = fromBaseUnits(step.settlement.received, assetOf(order.fromAsset).decimals);
	}
	// Unpaid, expired orders give their share of the daily cap back; a late deposit takes it again.
	next.holdsCap = !step.unfunded;
	if (step.status === 'DONE') next.finishedAt = now;
	return next;
}

/**
 * The order's share of the daily cap, and how much of it is paid: what was quoted until its deposits are settled, then
 * what those are worth. In EMERGENCY it is the smaller one: what is too little takes up no more than it is, and what is
 * too much is not owed yet. An order that ends gives back what nobody paid.
 */
function centsOf({ usdCents, paidCents }: OrderRow, { status, settlement, worth, unfunded }: Step) {
	const judged = settlement?.usdCents ?? (worth && Math.min(usdCents, worth.usdCents));
	if (judged !== undefined) return { usdCents: judged, paidCents: judged };
	// One that was never paid gives back all of it (`holdsCap`), and counts as it was quoted if it is paid late.
	return status === 'EXPIRED' && !unfunded ? { usdCents: paidCents, paidCents } : { usdCents, paidCents };
}

/**
 * A choice is for the EMERGENCY that it was made in, and a refund is asked for until the order goes on or ends. These
 * columns are written only when that happens: somebody may choose or ask while another step is being written, and an
 * older read must not overwrite it.
 */
const endedBy = ({ status }: Step): Partial<OrderRow> => ({
	...((status === 'EXPIRED' || status === 'EMERGENCY') && { emergencyChoice: null, chosenAt: null }),
	...((status === 'EXCHANGE' || status === 'DONE' || status === 'EXPIRED') && NO_REFUND_ASKED),
});

/** The order's copies of a settlement, which is owed or only says what the deposits are worth. */
export const figuresOf = ({ toAmount, rate, networkFee }: Settlement): Partial<OrderRow> => ({
	toAmount,
	rate,
	networkFee,
});

/**
 * The order's copies of its deposits: of those that count; if none counts, of those that were paid for, sent back or
 * set aside; never of dropped ones. The id is of the first that is no dust. They no longer change once the payout began, and do not change if no deposits were
 * read.
 */
function depositCopies({ order, deposits: facts }: Move): Partial<OrderRow> {
	if (order.status === 'EXCHANGE' || order.status === 'DONE' || facts.length === 0) return {};
	const live = counted(facts);
	const answered = facts.filter(({ state, claimed, setAside }) => state !== 'gone' && (claimed || setAside));
	const copied = live.length > 0 ? live : countedTogether(answered);
	const cap = capCopies(order, live);
	const first = copied.filter(({ dust }) => !dust).toSorted((a, b) => a.firstSeenAt - b.firstSeenAt)[0];
	// The id of what was dropped stays, so that the partner can still name it.
	if (!first) return { depositAmount: null, ...cap };
	return { depositTxId: first.txId, depositAmount: fromBaseUnits(sumOf(copied), decimalsOf(order)), ...cap };
}

/**
 * The part that final deposits pay of an order that is not settled, by their part of its amount, down; and whether it
 * holds its share of the daily cap at all: a dropped deposit gives it back, also if it may still come again.
 */
function capCopies(order: OrderRow, live: readonly DepositFact[]): Partial<OrderRow> {
	const { status, usdCents, fromAmount } = order;
	if (status !== 'NEW' && status !== 'PENDING') return {};
	const final = sumOf(live.filter(({ state }) => state === 'final'));
	const paid = (BigInt(usdCents) * final) / toBaseUnits(fromAmount, decimalsOf(order));
	const paidCents = Math.min(usdCents, Number(paid));
	return { paidCents, ...(status === 'PENDING' && { holdsCap: live.length > 0 }) };
}

const decimalsOf = ({ fromAsset }: OrderRow): number => assetOf(fromAsset).decimals;

const hasChanges = ({ changes }: Move): boolean => changes !== undefined && Object.keys(changes).length > 0;

const COPIES = ['depositTxId', 'depositAmount', 'paidCents', 'holdsCap'] as const;

const copiesDiffer = (before: OrderRow, after: OrderRow): boolean =>
	COPIES.some((name) => before[name] !== after[name]);
