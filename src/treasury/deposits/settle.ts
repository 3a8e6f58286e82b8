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
import type { NetworkName } from '../../catalog/networks.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { runBatch } from '../../d1/batches.ts';
import { logError } from '../../log.ts';
import { advance, counted, type DepositFact, emergencyWorth, type Facts } from '../../orders/lifecycle.ts';
import { sealSettlement } from '../../orders/seal.ts';
import { type Settlement, settle } from '../../orders/settlement.ts';
import { type DepositRow, deposits, type OrderRow, orders } from '../../orders/table.ts';
import { partners } from '../../partners/table.ts';
import type { Market } from '../../pricing/market.ts';
import { figuresOf, type Moved, moveOrder, type PlannedPayout } from '../move-order.ts';

const ORDERS_PER_BATCH = 20;
/** Orders that one tick moves because of time or an outstanding price; the next tick takes the rest. */
const DUE_LIMIT = 200;

export interface Settled {
	readonly eventIds: string[];
	/** Networks on which a payout is now planned. */
	readonly payoutNetworks: NetworkName[];
}

/** `changed`: orders whose deposits have just changed. `sealKeys`: what a settlement is sealed under. */
export async function settleOrders(
	db: DrizzleD1Database,
	network: NetworkName,
	changed: readonly string[],
	market: Market | null,
	sealKeys: KeyRing,
	now: number,
): Promise<Settled> {
	const ids = [...new Set([...changed, ...(await dueOrders(db, network, now))])];
	const eventIds: string[] = [];
	const payoutNetworks = new Set<NetworkName>();
	for (let start = 0; start < ids.length; start += ORDERS_PER_BATCH) {
		const loaded = await loadOrders(db, ids.slice(start, start + ORDERS_PER_BATCH));
		const moves = (await Promise.all(loaded.map((each) => moveOf(db, each, market, sealKeys, now)))).filter(isMoved);
		for (const moved of await writeMoves(db, moves)) {
			eventIds.push(...moved.eventIds);
			if (moved.after.status === 'EXCHANGE') payoutNetworks.add(moved.after.toNetwork);
		}
	}
	return { eventIds, payoutNetworks: [...payoutNetworks] };
}

/**
 * The order's next move. Where it settles, the payout is sealed with exactly the deposits that were added up. Null, and an
 * error in the log, where that contradicts itself: the others go on.
 */
async function moveOf(
	db: DrizzleD1Database,
	{ order, rows, notify }: Loaded,
	market: Market | null,
	sealKeys: KeyRing,
	now: number,
): Promise<Moved | null> {
	const facts = rows.map(factOf);
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
	const settlement = steps.find((step) => step.settlement)?.settlement;
	try {
		const planned = settlement && { planned: await planPayout(order, rows, settlement, sealKeys, now) };
		const move = { order, steps, deposits: facts, changes, notify, ...planned };
		return moveOrder(db, move, now, () => crypto.randomUUID());
	} catch (error) {
		logError('order_not_settled', error, { orderId: order.id });
		return null;
	}
}

const isMoved = (moved: Moved | null): moved is Moved => moved !== null;

/** @throws Error where the deposits are not what was settled: then nothing is planned. */
async function planPayout(
	order: OrderRow,
	rows: readonly DepositRow[],
	{ received, owed }: Settlement,
	sealKeys: KeyRing,
	now: number,
): Promise<PlannedPayout> {
	const paidFor = rows.filter((row) => row.state === 'final' && counted([factOf(row)]).length > 0);
	const total = paidFor.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
	if (total !== received) throw new Error(`order ${order.id} was settled for ${received}, its deposits are ${total}`);
	const payoutId = crypto.randomUUID();
	const what = { kind: 'payout', asset: order.toAsset, amount: owed.toString() } as const;
	const terms = { payoutId, orderId: order.id, ...what, plannedAt: now, deposits: paidFor };
	return { payoutId, seal: await sealSettlement(sealKeys, terms), deposits: paidFor };
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

interface Loaded {
	readonly order: OrderRow;
	readonly rows: readonly DepositRow[];
	readonly notify: boolean;
}

async function loadOrders(db: DrizzleD1Database, ids: readonly string[]): Promise<Loaded[]> {
	const among = sql`(select value from json_each(${JSON.stringify(ids)}))`;
	const [rows, depositRows] = await db.batch([
		db
			.select({ order: orders, webhookUrl: partners.webhookUrl, webhookEvents: partners.webhookEvents })
			.from(orders)
			.innerJoin(partners, eq(partners.id, orders.partnerId))
			.where(sql`${orders.id} in ${among}`),
		db.select().from(deposits).where(sql`${deposits.orderId} in ${among}`),
	]);
	const byOrder = Map.groupBy(depositRows, ({ orderId }) => orderId);
	return rows.map(({ order, webhookUrl, webhookEvents }) => ({
		order,
		rows: byOrder.get(order.id) ?? [],
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
