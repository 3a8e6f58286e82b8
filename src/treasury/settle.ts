/**
 * From facts to status: loads the orders of one network that may have to move, asks `advance`, and writes what it says
 * (architecture.md "Money, step by step" 2).
 *
 * Atomic: one batch per part of `ORDERS_PER_BATCH` orders. Should one of them have been moved by somebody else, the
 * part fails as a whole on the history's key and its orders are written one by one; the one that lost is read again
 * on the next tick.
 */
import { and, eq, isNotNull, lt, not, or, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { NetworkName } from '../catalog/networks.ts';
import { logError } from '../http/log.ts';
import { advance, type DepositFact, emergencyWorth, type Facts } from '../orders/lifecycle.ts';
import { settle } from '../orders/settlement.ts';
import { type DepositRow, deposits, type OrderRow, orders } from '../orders/table.ts';
import { partners } from '../partners/table.ts';
import type { Market } from '../pricing/market.ts';
import { runBatch } from './batches.ts';
import { figuresOf, type Moved, moveOrder } from './transition.ts';

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
			let priced = true;
			const settleNow = (received: bigint) => {
				const settlement = market && settle(order, received, market, now);
				priced &&= settlement !== null;
				return settlement;
			};
			const asked: Facts = { deposits: facts, settle: settleNow };
			const steps = advance(order, asked, now);
			// Without a price the facts stay unheard, and the order due.
			const heard = priced && facts.some(({ lastSeenAt }) => lastSeenAt > order.factsAt);
			// Its deposits changed and it stays EMERGENCY: the partner decides on what they are worth now.
			const worth = heard && steps.length === 0 ? emergencyWorth(order, asked) : null;
			const changes = heard ? { factsAt: now, ...(worth && figuresOf(worth)) } : {};
			return moveOrder(db, { order, steps, deposits: facts, changes, notify }, now, () => crypto.randomUUID());
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
 * Orders that may move although no deposit has just changed: the window closed, all deposits vanished, a choice was
 * made, or a deposit changed and was not heard: the tick that recorded it died, or had no price to judge it by.
 * Whoever has waited longest comes first.
 */
async function dueOrders(db: DrizzleD1Database, network: NetworkName, now: number): Promise<string[]> {
	// Predicates of partial indexes are literal, because SQLite takes such an index only for the words it was made with.
	// The plus keeps it from looking through all orders of the network: the few deposits lead to theirs.
	const unheard = sql`${deposits.lastSeenAt} > ${orders.factsAt} AND ${orders.deletedAt} IS NULL
		AND ${orders.status} IN ('NEW', 'PENDING', 'EXPIRED', 'EMERGENCY') AND +${orders.fromNetwork} = ${network}`;
	const isUnclaimed = sql`${deposits.state} = 'final' AND ${deposits.payoutId} IS NULL AND ${deposits.dust} = 0`;
	const isOpen = sql`${deposits.network} = ${network} AND ${deposits.state} <> 'final'`;
	const isMoving = sql`${orders.status} IN ('PENDING', 'EMERGENCY')`;
	const isThere = sql`exists (select 1 from ${deposits} where ${deposits.orderId} = ${orders.id} and ${deposits.state} <> 'gone')`;
	const mayMove = or(and(eq(orders.status, 'PENDING'), not(isThere)), isNotNull(orders.emergencyChoice));
	const here = eq(orders.fromNetwork, network);
	const id = { id: orders.id };
	const ofDeposits = (which: SQL) =>
		db
			.selectDistinct(id)
			.from(deposits)
			.innerJoin(orders, eq(orders.id, deposits.orderId))
			.where(and(which, unheard))
			.limit(DUE_LIMIT);
	const found = await db.batch([
		ofDeposits(isUnclaimed),
		ofDeposits(isOpen),
		db
			.select(id)
			.from(orders)
			.where(and(here, sql`${orders.status} = 'NEW'`, lt(orders.expiresAt, now)))
			.orderBy(orders.expiresAt)
			.limit(DUE_LIMIT),
		db
			.select(id)
			.from(orders)
			.where(and(here, isMoving, mayMove))
			.orderBy(orders.updatedAt)
			.limit(DUE_LIMIT),
	]);
	return found.flat().map((row) => row.id);
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

const factOf = ({
	txId,
	amount,
	state,
	dust,
	payoutId,
	setAside,
	firstSeenAt,
	lastSeenAt,
}: DepositRow): DepositFact => ({
	txId,
	amount: BigInt(amount),
	state,
	dust,
	claimed: payoutId !== null,
	setAside,
	firstSeenAt,
	lastSeenAt,
});

export const wantsStatusChanges = (webhookUrl: string | null, events: readonly string[]): boolean =>
	webhookUrl !== null && events.includes('order.status_changed');
