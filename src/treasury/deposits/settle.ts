/**
 * Moves orders by their facts: loads the orders of one network that may have to move, asks `advance` for their next
 * steps, and writes these. A settled order gets its payout here.
 *
 * Atomic: one batch for `ORDERS_PER_BATCH` orders. If one of them was moved meanwhile, the key of the history makes the
 * whole batch fail, and its orders are written one by one. The next poll reads the one that failed again.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { advance, countedFinal, type DepositFact, emergencyWorth, type Facts } from '../../orders/lifecycle.ts';
import { type Settlement, settle } from '../../orders/settlement.ts';
import type { DepositRow, OrderRow } from '../../orders/table.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { logError } from '../../platform/log.ts';
import { pick } from '../../platform/pick.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import type { Market } from '../../pricing/market.ts';
import { figuresOf, type Moved, moveOrder } from '../move-order.ts';
import { planScreenedRefunds, screenedOf, screenOrders } from '../screening/orders.ts';
import type { Screener } from '../screening/screener.ts';
import { dueScreenings } from '../screening/store.ts';
import type { ScreeningRow } from '../screening/table.ts';
import { isRefusedDust } from '../screening/verdict.ts';
import { planPayout } from './plan-payout.ts';
import { dueOrders, type Loaded, loadOrders } from './settle-store.ts';
import { returnAsked, returnBelowFloor, returnUndecided } from './undecided.ts';

const ORDERS_PER_BATCH = 20;

export interface Settled {
	/** Orders that were judged. */
	readonly orderIds: readonly string[];
	readonly eventIds: string[];
	/** Networks on which a payout is now planned. */
	readonly payoutNetworks: NetworkName[];
}

interface Settling {
	readonly db: Db;
	readonly network: NetworkName;
	/** They seal a settlement. */
	readonly sealKeys: KeyRing;
	/** Null where screening is off. */
	readonly screener: Screener | null;
}

interface Moment {
	readonly market: Market | null;
	readonly now: number;
}

/** `changed`: orders whose deposits have just changed. */
export async function settleOrders(
	settling: Settling,
	changed: readonly string[],
	{ market, now }: Moment,
): Promise<Settled> {
	const { db, network, sealKeys, screener } = settling;
	const isScreening = screener !== null;
	const askAgain = screener ? await dueScreenings(db, network, now) : [];
	const hours = market?.settings.decisionHours ?? null;
	const due = await dueOrders(db, network, now, hours === null ? null : now - hours * HOUR_MILLISECONDS);
	const atMostUsd = market?.settings.askedRefundUsd ?? 0;
	const asked = new Set(atMostUsd > 0 ? due.asked : []);
	const ids = [...new Set([...changed, ...due.ids, ...askAgain, ...asked])];
	const undecided = new Set(due.undecided);
	const eventIds: string[] = [];
	const payoutNetworks = new Set<NetworkName>();
	for (let start = 0; start < ids.length; start += ORDERS_PER_BATCH) {
		const loaded = await loadOrders(db, ids.slice(start, start + ORDERS_PER_BATCH));
		if (screener) await screenOrders(db, loaded, screener, now);
		const judged = await Promise.all(loaded.map((each) => nextMove(settling, each, { market, now })));
		const moves = judged.flatMap(({ moved }) => moved ?? []);
		for (const moved of await writeMoves(db, moves)) {
			eventIds.push(...moved.eventIds);
			if (moved.after.status === 'EXCHANGE') payoutNetworks.add(moved.after.toNetwork);
		}
		if (!market) continue;
		await planScreenedRefunds(db, loaded, { sealKeys, market, isScreening, now });
		const means = { sealKeys, market, switches: market.settings, isScreening, screener, now };
		const waited = loaded.filter(({ order }) => undecided.has(order.id));
		eventIds.push(...(await returnUndecided(db, waited, means)));
		await returnBelowFloor(db, judged.filter(isForbidden), means);
		const wanted = loaded.filter(({ order }) => asked.has(order.id) && !undecided.has(order.id));
		await returnAsked(db, wanted, { ...means, atMostUsd });
	}
	return { orderIds: ids, eventIds, payoutNetworks: [...payoutNetworks] };
}

interface Judged {
	readonly loaded: Loaded;
	/** Null where it could not be made. */
	readonly moved: Moved | null;
	/** The exchange that the order's floor forbids. */
	readonly forbidden: Settlement | null;
}

const isForbidden = (judged: Judged): judged is Judged & { readonly forbidden: Settlement } =>
	judged.forbidden !== null;

/**
 * The order's next move. If it settles, the payout is sealed with exactly the deposits that were added up. If the sum
 * and the deposits disagree, or somebody wrote what is no amount into the row, there is none and the log has an error; the
 * other orders go on.
 */
async function nextMove(
	{ db, sealKeys, screener }: Settling,
	loaded: Loaded,
	{ market, now }: Moment,
): Promise<Judged> {
	const { order } = loaded;
	try {
		const screened = screenedOf(loaded, screener !== null);
		const facts = loaded.rows.map((row) => factOf(row, loaded.screened));
		let priced = true;
		const settleNow = (received: bigint) => {
			const settlement = market && settle(order, received, market, now);
			priced &&= settlement !== null;
			return settlement;
		};
		const asked: Facts = { deposits: facts, screened, settle: settleNow };
		const { steps, forbidden } = advance(order, asked, now);
		// Without a price or an answer of screening the facts stay unjudged, and the order stays due; until its refund is
		// planned too.
		const isKnown = priced && screened !== 'unasked' && screened !== 'refund' && forbidden === null;
		const judged = isKnown && facts.some(({ lastSeenAt }) => lastSeenAt > order.factsAt);
		// Deposits changed and the order stays EMERGENCY: the partner must see what they are worth now.
		const worth = judged && steps.length === 0 ? emergencyWorth(order, asked) : null;
		const changes: Partial<OrderRow> = { ...(judged && { factsAt: now, ...(worth && figuresOf(worth)) }) };
		const settlement = steps.find((step) => step.settlement)?.settlement;
		const paidFor = countedFinal(facts).map(({ row }) => row);
		const owed = settlement && { payoutId: crypto.randomUUID(), order, settlement, paidFor };
		const planned = owed && { planned: await planPayout(db, owed, sealKeys, now) };
		const move = { order, steps, deposits: facts, changes, ...planned };
		return { loaded, moved: moveOrder(db, move, now, () => crypto.randomUUID()), forbidden };
	} catch (error) {
		logError('order_not_settled', error, { orderId: order.id });
		return { loaded, moved: null, forbidden: null };
	}
}

/** The moves that were written. One that fails is logged and left to the next poll. */
export async function writeMoves<Move extends Pick<Moved, 'statements'>>(
	db: Db,
	moves: readonly Move[],
): Promise<Move[]> {
	const real = moves.filter(({ statements }) => statements.length > 0);
	try {
		await runBatch(
			db,
			real.flatMap(({ statements }) => statements),
		);
		return real;
	} catch (error) {
		logError('moves_not_written', error, { moves: real.length });
		if (real.length <= 1) return [];
		const written: Move[] = [];
		for (const move of real) written.push(...(await writeMoves(db, [move])));
		return written;
	}
}

/** With the row that it was read from. */
type Fact = DepositFact & { readonly row: DepositRow };

/** Dust that screening does not accept is left to the operator: it keeps nobody's order from being paid. */
const factOf = (row: DepositRow, screened: readonly ScreeningRow[]): Fact => ({
	row,
	...pick(row, 'txId', 'state', 'dust', 'firstSeenAt', 'lastSeenAt'),
	amount: BigInt(row.amount),
	claimed: row.payoutId !== null,
	setAside: row.setAside || isRefusedDust(row, screened),
});
