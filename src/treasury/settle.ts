/**
 * From facts to status: loads the orders of one network that may have to move, asks `advance`, and writes what it says
 * (architecture.md "Money, step by step" 2).
 *
 * Atomic: one batch per part of `ORDERS_PER_BATCH` orders. Should one of them have been moved by somebody else, the
 * part fails as a whole on the history's key and its orders are written one by one; the one that lost is read again
 * on the next tick.
 */
import { and, eq, isNotNull, lt, or, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { NetworkName } from '../catalog/networks.ts';
import { logError } from '../http/log.ts';
import { advance, type DepositFact } from '../orders/lifecycle.ts';
import { settle } from '../orders/settlement.ts';
import { type DepositRow, deposits, type OrderRow, orders } from '../orders/table.ts';
import { partners } from '../partners/table.ts';
import type { Market } from '../pricing/market.ts';
import { runBatch } from './batches.ts';
import { type Moved, moveOrder } from './transition.ts';

const ORDERS_PER_BATCH = 20;
/** Orders that one tick moves because of time or an outstanding price; the next tick takes the rest. */
const DUE_LIMIT = 200;

export interface Settled {
	readonly eventIds: string[];
	/** Networks on which a payout is now planned. */
	readonly payoutNetworks: NetworkName[];
}

/** `changed`: orders whose deposits have just changed. */
export async function settleOrders(
	db: DrizzleD1Database,
	network: NetworkName,
	changed: readonly string[],
	market: Market | null,
	now: number,
): Promise<Settled> {
	const ids = [...new Set([...changed, ...(await dueOrders(db, network, now))])];
	const eventIds: string[] = [];
	const payoutNetworks = new Set<NetworkName>();
	for (let start = 0; start < ids.length; start += ORDERS_PER_BATCH) {
		const loaded = await loadOrders(db, ids.slice(start, start + ORDERS_PER_BATCH));
		const moves = loaded.map(({ order, facts, notify }) => {
			const steps = advance(
				order,
				{ deposits: facts, settle: (received) => market && settle(order, received, market, now) },
				now,
			);
			return moveOrder(db, { order, steps, deposits: facts, notify }, now, () => crypto.randomUUID());
		});
		for (const moved of await writeMoves(db, moves)) {
			eventIds.push(...moved.eventIds);
			if (moved.after.status === 'EXCHANGE') payoutNetworks.add(moved.after.toNetwork);
		}
	}
	return { eventIds, payoutNetworks: [...payoutNetworks] };
}

/** The moves that were written. */
export async function writeMoves(db: DrizzleD1Database, moves: readonly Moved[]): Promise<Moved[]> {
	const real = moves.filter(({ statements }) => statements.length > 0);
	try {
		await runBatch(
			db,
			real.flatMap(({ statements }) => statements),
		);
		return real;
	} catch (error) {
		logError('moves_not_written', error, { orders: real.length });
		if (real.length <= 1) return [];
		const written: Moved[] = [];
		for (const move of real) written.push(...(await writeMoves(db, [move])));
		return written;
	}
}

/**
 * Orders that may move without a new deposit: the window closed, a price was missing, a deposit vanished, a choice
 * was made, or a final deposit was recorded and what follows from it was not. An EMERGENCY order without a choice
 * moves only with a deposit.
 */
async function dueOrders(db: DrizzleD1Database, network: NetworkName, now: number): Promise<string[]> {
	// Statuses are literal, because SQLite takes a partial index only for the words that it was made with.
	const isNew = sql`${orders.status} = 'NEW'`;
	const isMoving = sql`${orders.status} IN ('PENDING', 'EMERGENCY')`;
	const mayMove = or(eq(orders.status, 'PENDING'), isNotNull(orders.emergencyChoice));
	// What a deposit changed to is newer than its order: the tick that recorded it died, or had no price to judge it by.
	// The plus keeps SQLite from looking through all orders of the network: the few unclaimed deposits lead to theirs.
	const isUnheard = sql`${deposits.state} = 'final' AND ${deposits.settled} = 0 AND ${deposits.dust} = 0
		AND ${deposits.lastSeenAt} > ${orders.updatedAt} AND ${orders.deletedAt} IS NULL
		AND ${orders.status} IN ('NEW', 'EXPIRED', 'EMERGENCY') AND +${orders.fromNetwork} = ${network}`;
	const here = eq(orders.fromNetwork, network);
	const id = { id: orders.id };
	const [unheard, unfunded, moving] = await db.batch([
		db
			.selectDistinct(id)
			.from(deposits)
			.innerJoin(orders, eq(orders.id, deposits.orderId))
			.where(isUnheard)
			.limit(DUE_LIMIT),
		db
			.select(id)
			.from(orders)
			.where(and(here, isNew, lt(orders.expiresAt, now)))
			.limit(DUE_LIMIT),
		db
			.select(id)
			.from(orders)
			.where(and(here, isMoving, mayMove))
			.limit(DUE_LIMIT),
	]);
	const rows = [...unheard, ...unfunded, ...moving];
	return rows.map(({ id }) => id);
}

async function loadOrders(db: DrizzleD1Database, ids: readonly string[]) {
	const among = sql`(select value from json_each(${JSON.stringify(ids)}))`;
	const [rows, depositRows] = await db.batch([
		db
			.select({ order: orders, webhookUrl: partners.webhookUrl, webhookEvents: partners.webhookEvents })
			.from(orders)
			.innerJoin(partners, eq(partners.id, orders.partnerId))
			.where(sql`${orders.id} in ${among}`),
		db.select().from(deposits).where(sql`${deposits.orderId} in ${among}`),
	]);
	const facts = Map.groupBy(depositRows, ({ orderId }) => orderId);
	return rows.map(({ order, webhookUrl, webhookEvents }) => ({
		order: order satisfies OrderRow,
		facts: (facts.get(order.id) ?? []).map(factOf),
		notify: wantsStatusChanges(webhookUrl, webhookEvents),
	}));
}

const factOf = ({ txId, amount, state, dust, payoutId, firstSeenAt, lastSeenAt }: DepositRow): DepositFact => ({
	txId,
	amount: BigInt(amount),
	state,
	dust,
	claimed: payoutId !== null,
	firstSeenAt,
	lastSeenAt,
});

export const wantsStatusChanges = (webhookUrl: string | null, events: readonly string[]): boolean =>
	webhookUrl !== null && events.includes('order.status_changed');
