/**
 * What follows when the network has taken a payout or a refund. Atomic: one batch makes it `sent`, moves the order,
 * balances the books, counts for the partner and makes the webhook due; broadcast again it changes nothing.
 */
import { and, eq, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { assetOf } from '../../catalog/assets.ts';
import { runInBatches } from '../../d1/batches.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { PAID, REFUNDED } from '../../orders/lifecycle.ts';
import { type DepositRow, deposits, type OrderRow, orders } from '../../orders/table.ts';
import { partners } from '../../partners/table.ts';
import { wantsStatusChanges, writeMoves } from '../deposits/settle.ts';
import { amountsOf, type LedgerEntry, paidEntries, refundedEntries } from '../ledger/entries.ts';
import { type Move, type Moved, moveOrder, type Statement } from '../move-order.ts';
import { ledgerEntries, type TransactionRow, transactions } from '../table.ts';
import { GOES_ON } from './wait-reason.ts';

/** What moves coins of our own: nobody is told, and no order follows from it. */
const BACKGROUND: readonly TransactionRow['kind'][] = ['gas', 'sweep', 'consolidation', 'withdrawal'];
/** Payouts whose orders one batch moves. */
const PER_BATCH = 20;

interface Finished {
	readonly payout: TransactionRow;
	readonly order: OrderRow;
	readonly notify: boolean;
	/** The order's entries of its settlement. */
	readonly entries: readonly LedgerEntry[];
	/** What the payout answers for. */
	readonly deposits: readonly DepositRow[];
	/** Has the order a payout, whatever became of it? A payout that was given up is none. */
	readonly hasPayout: boolean;
}

/** The ids of the webhook events that this made. `firstLook`: milliseconds until it is looked for on the chain. */
export async function finishPayouts(
	db: DrizzleD1Database,
	done: readonly TransactionRow[],
	now: number,
	firstLook: number,
): Promise<string[]> {
	const sent = (payout: TransactionRow) => sentStatement(db, payout, now, firstLook);
	const background = done.filter(({ kind }) => BACKGROUND.includes(kind));
	await runInBatches(db, background.map(sent));
	const eventIds: string[] = [];
	const owed = done.filter((payout) => !background.includes(payout));
	for (let start = 0; start < owed.length; start += PER_BATCH) {
		const finished = await loadFinished(db, owed.slice(start, start + PER_BATCH));
		const moves = finished.flatMap((each) => {
			const moved = finish(db, each, now);
			moved?.statements.push(sent(each.payout));
			return moved ? [moved] : [];
		});
		for (const moved of await writeMoves(db, moves)) eventIds.push(...moved.eventIds);
	}
	return eventIds;
}

/**
 * What follows when a payout is paid, but for its own row: `payout.txId` is what paid it.
 * @throws Error where the order waits for it no more
 */
export async function finishingOf(db: DrizzleD1Database, payout: TransactionRow, now: number): Promise<Moved> {
	const [finished] = await loadFinished(db, [payout]);
	const moved = finished ? finish(db, finished, now) : null;
	if (!moved) throw new Error(`the order of payout ${payout.id} waits for it no more`);
	return moved;
}

export const sentStatement = (
	db: DrizzleD1Database,
	{ id }: TransactionRow,
	now: number,
	firstLook: number,
): Statement =>
	db
		.update(transactions)
		.set({
			state: 'sent',
			sentAt: now,
			...{ held: null, fee: null, finalAt: null, ...GOES_ON },
			attempts: 0,
			nextAttemptAt: now + firstLook,
		})
		.where(and(eq(transactions.id, id), eq(transactions.state, 'signed')));

async function loadFinished(db: DrizzleD1Database, part: readonly TransactionRow[]): Promise<Finished[]> {
	const orderIds = sql`(select value from json_each(${JSON.stringify(part.map(({ orderId }) => orderId))}))`;
	const [rows, entries, claimed, paying] = await db.batch([
		db
			.select({ order: orders, webhookUrl: partners.webhookUrl, webhookEvents: partners.webhookEvents })
			.from(orders)
			.innerJoin(partners, eq(partners.id, orders.partnerId))
			.where(sql`${orders.id} in ${orderIds}`),
		db
			.select()
			.from(ledgerEntries)
			.where(and(sql`${ledgerEntries.orderId} in ${orderIds}`, eq(ledgerEntries.cause, 'settled'))),
		db.select().from(deposits).where(sql`${deposits.orderId} in ${orderIds}`),
		db
			.select({ orderId: transactions.orderId })
			.from(transactions)
			// Literal, because SQLite takes a partial index only for the words that it was made with.
			.where(sql`${transactions.orderId} in ${orderIds} and ${transactions.kind} = 'payout'`),
	]);
	return part.flatMap((payout): Finished[] => {
		const row = rows.find(({ order }) => order.id === payout.orderId);
		if (!row) return [];
		return [
			{
				payout,
				order: row.order,
				notify: wantsStatusChanges(row.webhookUrl, row.webhookEvents) && row.order.deletedAt === null,
				entries: entries.filter(({ orderId }) => orderId === payout.orderId),
				deposits: claimed.filter(({ payoutId }) => payoutId === payout.id),
				hasPayout: paying.some(({ orderId }) => orderId === payout.orderId),
			},
		];
	});
}

const finish = (db: DrizzleD1Database, finished: Finished, now: number): Moved | null =>
	finished.payout.kind === 'payout' ? finishPayout(db, finished, now) : finishRefund(db, finished, now);

function finishPayout(db: DrizzleD1Database, { payout, order, notify, entries }: Finished, now: number): Moved | null {
	if (order.status !== 'EXCHANGE') return null;
	const changes = {
		payoutTxId: payout.txId,
		payoutAmount: fromBaseUnits(BigInt(payout.amount), assetOf(payout.asset).decimals),
	};
	const moved = move(db, { order, steps: [PAID], deposits: [], changes, notify }, now);
	const settled = amountsOf(entries.filter(({ asset }) => asset === order.toAsset));
	moved.statements.push(
		db.insert(ledgerEntries).values(paidEntries(order.id, order.toAsset, settled, now)),
		countOrder(db, order.partnerId, payout.usdCents, order.afftaxBps),
	);
	return moved;
}

/**
 * An order that waits ends with its refund, and so does one whose payout was given up; one that has ended only learns of
 * the transaction.
 */
function finishRefund(
	db: DrizzleD1Database,
	{ payout, order, notify, deposits: sentBack, hasPayout }: Finished,
	now: number,
): Moved {
	const isGivenUp = order.status === 'EXCHANGE' && !hasPayout;
	const waits = order.status === 'EMERGENCY' || order.status === 'PENDING' || isGivenUp;
	// What came while the refund was under way is judged once more, now that what it came to has ended.
	const changes = { refundTxId: payout.txId, ...(waits && { factsAt: 0 }) };
	const moved = move(db, { order, steps: waits ? [REFUNDED] : [], deposits: [], changes, notify }, now);
	const received = sentBack.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
	const entries = refundedEntries(order.id, payout.id, payout.asset, received, BigInt(payout.amount), now);
	if (entries.length > 0) moved.statements.push(db.insert(ledgerEntries).values(entries));
	return moved;
}

const move = (db: DrizzleD1Database, what: Move, now: number): Moved =>
	moveOrder(db, what, now, () => crypto.randomUUID());

/** Counters never go down (decisions.md "Partner earnings"). */
function countOrder(db: DrizzleD1Database, partnerId: string, usdCents: number, afftaxBps: number): Statement {
	// Whole cents, down. D1 binds every number as REAL, so SQLite must not be the one to divide.
	const earned = Number((BigInt(usdCents) * BigInt(afftaxBps)) / 10_000n);
	return db
		.update(partners)
		.set({
			ordersDone: sql`${partners.ordersDone} + 1`,
			volumeUsdCents: sql`${partners.volumeUsdCents} + ${usdCents}`,
			earnedUsdCents: sql`${partners.earnedUsdCents} + ${earned}`,
		})
		.where(eq(partners.id, partnerId));
}
