/**
 * Finds strays: looks at what pay-in addresses hold of every listed asset of a network, and records what their orders did not
 * ask for. Young addresses of all orders that may be paid here by mistake are looked at in turn, at a slow pace of its own:
 * one `Chain.lying` at each look.
 */
import { and, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { AssetId } from '../../catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName } from '../../catalog/networks.ts';
import { runBatch, type Statement } from '../../d1/batches.ts';
import { byIndex, fromIndex } from '../../d1/by-index.ts';
import { log } from '../../log.ts';
import { orders } from '../../orders/table.ts';
import type { Connection } from '../connection.ts';
import { movesAt } from '../deposits/watch-store.ts';
import type { TransactionRow } from '../table.ts';
import { countedOf, isAskedFor } from './rules.ts';
import { copyStraysOf, isPaidByMistake, straysAt } from './store.ts';
import { type StrayRow, strays } from './table.ts';

/** Addresses of one look, of each network whose orders may be paid here. */
const PER_LOOK = 100;
/** An address is looked at in turn until so long after its order's window closed. */
const YOUNG_MILLISECONDS = 24 * 3_600_000;

export type StrayOrder = Pick<
	typeof orders.$inferSelect,
	'id' | 'fromAsset' | 'fromNetwork' | 'payInAddress' | 'expiresAt'
>;

/** Where the last look stopped, by the network of the orders; none begins with the youngest. */
export type LookedUntil = ReadonlyMap<NetworkName, Pick<StrayOrder, 'expiresAt' | 'id'>>;

/** The next young orders of each network, the youngest first, and where the look after it begins. One trip. */
export async function youngOrders(
	db: DrizzleD1Database,
	network: NetworkName,
	after: LookedUntil,
	now: number,
): Promise<{ readonly young: readonly StrayOrder[]; readonly until: LookedUntil }> {
	const networks = NETWORK_NAMES.filter((name) => isPaidByMistake(network, name));
	const { id, fromAsset, fromNetwork, payInAddress, expiresAt } = orders;
	const youngOf = (home: NetworkName) => {
		const last = after.get(home);
		const further = last && sql`(${expiresAt}, ${id}) < (${last.expiresAt}, ${last.id})`;
		return db
			.select(fromIndex({ id, fromAsset, fromNetwork, payInAddress, expiresAt }))
			.from(byIndex(orders, 'orders_watched'))
			.where(and(sql`${fromNetwork} = ${home} and ${expiresAt} > ${now - YOUNG_MILLISECONDS}`, further))
			.orderBy(sql`${expiresAt} desc, ${id} desc`)
			.limit(PER_LOOK);
	};
	const [first = youngOf(network), ...rest] = networks.map(youngOf);
	const found = await db.batch([first, ...rest]);
	const until = new Map<NetworkName, StrayOrder>();
	for (const [at, home] of networks.entries()) {
		const last = found[at]?.at(PER_LOOK - 1);
		if (last) until.set(home, last);
	}
	return { young: found.flat(), until };
}

/**
 * Looks at the orders' addresses now. Where coins are being moved from an address, it waits for the next look. Atomic for
 * each order: its strays and its copy of them are one batch. @throws ChainUnavailable
 */
export async function lookForStrays(
	{ db, network, chain }: Connection,
	looked: readonly StrayOrder[],
	now: number,
): Promise<void> {
	if (!chain.lying || looked.length === 0) return;
	const addresses = looked.map(({ payInAddress }) => payInAddress);
	const held = await chain.lying(addresses);
	const [moved, recorded] = await db.batch([movesAt(db, network, addresses), straysAt(db, network, addresses)]);
	const moves = Map.groupBy(moved, ({ payInAddress }) => payInAddress);
	const known = Map.groupBy(recorded, ({ orderId }) => orderId);
	for (const [at, order] of looked.entries()) {
		const own = moves.get(order.payInAddress) ?? [];
		if (own.some(({ state }) => state !== 'final')) continue;
		const here = [...held]
			.filter(([asset]) => !isAskedFor(order, asset))
			.map(([asset, amounts]) => [asset, amounts[at] ?? 0n] as const);
		const changed = here.flatMap(([asset, amount]) => {
			const row = known.get(order.id)?.find((each) => each.asset === asset);
			return changedStray({ network, chain, order, asset, now }, amount, own, row);
		});
		if (changed.length === 0) continue;
		await runBatch(db, [...changed.map((row) => upsertStray(db, row)), copyStraysOf(db, order.id, now)]);
		for (const { asset, counted } of changed)
			log('stray_found', { network, orderId: order.id, asset, amount: counted });
	}
}

interface Found extends Pick<Connection, 'network' | 'chain'> {
	readonly order: StrayOrder;
	readonly asset: AssetId;
	readonly now: number;
}

/** The row as it should be; none where the recorded row is right. */
function changedStray(
	{ network, chain, order, asset, now }: Found,
	held: bigint,
	moves: readonly TransactionRow[],
	row: StrayRow | undefined,
): (typeof strays.$inferInsert)[] {
	const counted = chain.sweeping ? countedOf(held, asset, moves, chain.sweeping.feePayer) : held;
	if (counted.toString() === (row?.counted ?? '0')) return [];
	return [
		{
			...{ network, address: order.payInAddress, asset, orderId: order.id, counted: counted.toString() },
			...{
				isListed: chain.reserve === 'credits',
				waits: null,
				foundAt: row?.foundAt ?? now,
				lookedAt: now,
				dueAt: now,
			},
		},
	];
}

function upsertStray(db: DrizzleD1Database, row: typeof strays.$inferInsert): Statement {
	const { counted, waits = null, lookedAt, dueAt = null } = row;
	return db
		.insert(strays)
		.values(row)
		.onConflictDoUpdate({
			target: [strays.network, strays.address, strays.asset],
			set: { counted, waits, lookedAt, dueAt },
		});
}
