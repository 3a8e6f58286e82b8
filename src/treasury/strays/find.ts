/**
 * Finds strays and overflows: looks at what pay-in addresses hold of every listed asset of a network, and records what their
 * orders did not ask for, and what no poll records. Addresses of all orders that may be paid here by mistake are looked at
 * in turn, at a slow pace of its own: one `Chain.lying` at each look.
 */
import { and, type SQL, sql } from 'drizzle-orm';
import type { AssetId } from '../../catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName, networkNamed } from '../../catalog/networks.ts';
import { orders } from '../../orders/table.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import type { Db } from '../../platform/d1/database.ts';
import { log } from '../../platform/log.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import type { Connection } from '../connection.ts';
import { mayOverflow, type OverflowRow, overflowNow, type Recorded, readOverflows } from '../deposits/overflows.ts';
import type { TransactionRow } from '../table.ts';
import { readAtRest } from './at-rest.ts';
import { countedOf, isAskedFor, sweptOf } from './rules.ts';
import { copyStraysOf, isPaidByMistake, straysAt } from './store.ts';
import { type StrayRow, strays } from './table.ts';

/** Addresses of one look, of each network whose orders may be paid here, and of each kind. */
const PER_LOOK = 100;
/** An address is looked at in turn until a look that worked, so long after its order's window closed. */
const YOUNG_MILLISECONDS = DAY_MILLISECONDS;
/** No address is watched for less. */
const OLD_MILLISECONDS = 30 * DAY_MILLISECONDS;

export type StrayOrder = Pick<
	typeof orders.$inferSelect,
	'id' | 'fromAsset' | 'fromNetwork' | 'payInAddress' | 'expiresAt' | 'dustCount' | 'watchUntil'
>;

/** Where the last look stopped, by network of the orders and kind; none begins with the youngest. */
export type LookedUntil = ReadonlyMap<string, Pick<StrayOrder, 'expiresAt' | 'id'>>;

/** One kind of orders that looks go through, and the index by which they are found. */
interface Kind {
	readonly name: string;
	readonly index: string;
	readonly where: SQL;
}

/**
 * Young orders; those that are watched no more; and those with more dust than is recorded. Tron reads whole blocks, so there
 * a deposit is recorded however late it comes (but see `chains/tron/quiet.ts`), and an address costs requests of its own:
 * old ones are not looked at.
 */
function kindsOf(home: NetworkName, here: NetworkName, { now, lookedAt }: Pick<Asked, 'now' | 'lookedAt'>): Kind[] {
	const { expiresAt, watchUntil, dustCount } = orders;
	const since = Math.max((lookedAt[home] ?? 0) - YOUNG_MILLISECONDS, now - OLD_MILLISECONDS);
	const young = { name: YOUNG, index: 'orders_watched', where: sql`${expiresAt} > ${since}` };
	const old = {
		name: 'old',
		index: 'orders_watched',
		where: sql`${expiresAt} <= ${now - OLD_MILLISECONDS} and ${watchUntil} <= ${now}`,
	};
	const flooded = { name: 'flooded', index: 'orders_flooded', where: sql`${dustCount} >= 100` };
	return [young, ...(networkNamed(here).family === 'tron' ? [] : [old]), ...(home === here ? [flooded] : [])];
}

/** By network of the orders: when all young addresses had been looked at. In an outage since, nobody has. */
export type LookedAt = Readonly<Partial<Record<NetworkName, number>>>;

interface Asked {
	readonly after: LookedUntil;
	readonly lookedAt: LookedAt;
	readonly now: number;
}

const YOUNG = 'young';

/**
 * The next orders of each network and kind, the youngest first, and where the look after it begins. `ended`: of which networks
 * it looks at the last young ones. One trip.
 */
export async function ordersToLook(
	db: Db,
	network: NetworkName,
	{ after, ...times }: Asked,
): Promise<{
	readonly looked: readonly StrayOrder[];
	readonly until: LookedUntil;
	readonly ended: readonly NetworkName[];
}> {
	const { id, fromAsset, fromNetwork, payInAddress, expiresAt, dustCount, watchUntil } = orders;
	const columns = { id, fromAsset, fromNetwork, payInAddress, expiresAt, dustCount, watchUntil };
	const asked = NETWORK_NAMES.filter((name) => isPaidByMistake(network, name)).flatMap((home) =>
		kindsOf(home, network, times).map((kind) => ({ key: `${home} ${kind.name}`, home, ...kind })),
	);
	const queries = asked.map(({ key, home, index, where }) => {
		const last = after.get(key);
		const further = last && sql`(${expiresAt}, ${id}) < (${last.expiresAt}, ${last.id})`;
		return db
			.select(fromIndex(columns))
			.from(byIndex(orders, index))
			.where(and(sql`${fromNetwork} = ${home} and ${where}`, further))
			.orderBy(sql`${expiresAt} desc, ${id} desc`)
			.limit(PER_LOOK);
	});
	const [first, ...rest] = queries;
	if (!first) return { looked: [], until: new Map(), ended: [] };
	const found = await db.batch([first, ...rest]);
	const until = new Map<string, StrayOrder>();
	for (const [at, { key }] of asked.entries()) {
		const last = found[at]?.at(PER_LOOK - 1);
		if (last) until.set(key, last);
	}
	const ended = asked.filter(({ key, name }) => name === YOUNG && !until.has(key)).map(({ home }) => home);
	return { looked: [...new Map(found.flat().map((order) => [order.id, order])).values()], until, ended };
}

/**
 * Looks at the orders' addresses now. Where coins are being moved from an address, it waits for the next look. Atomic for
 * each order: its strays, its copy of them and its overflow are one batch. @throws ChainUnavailable
 */
export async function lookForStrays(connection: Connection, looked: readonly StrayOrder[], now: number): Promise<void> {
	const { db, network, chain } = connection;
	if (!chain.lying || looked.length === 0) return;
	const addresses = looked.map(({ payInAddress }) => payInAddress);
	const { held, moves } = await readAtRest(connection, chain.lying, addresses);
	const own = looked.filter((order) => order.fromNetwork === network && mayOverflow(order, now)).map(({ id }) => id);
	const [recorded, overflown, sums] = await db.batch([straysAt(db, network, addresses), ...readOverflows(db, own)]);
	const known = Map.groupBy(recorded, ({ orderId }) => orderId);
	for (const [at, order] of looked.entries()) {
		const ownMoves = moves.get(order.payInAddress);
		if (!ownMoves) continue;
		const here = [...held]
			.filter(([asset]) => !isAskedFor(order, asset))
			.map(([asset, amounts]) => [asset, amounts[at] ?? 0n] as const);
		const changed = here.flatMap(([asset, amount]) => {
			const row = known.get(order.id)?.find((each) => each.asset === asset);
			return changedStray({ network, chain, order, asset, now }, amount, ownMoves, row);
		});
		const lies = own.includes(order.id) ? held.get(order.fromAsset)?.[at] : undefined;
		const on = sums.find(({ orderId }) => orderId === order.id) ?? { recorded: 0n, dust: 0 };
		const before = overflown.find(({ orderId }) => orderId === order.id);
		const overflow = lies === undefined ? null : changedOverflow({ chain, order, now }, lies, ownMoves, { on, before });
		const written = [
			...changed.map((row) => upsertStray(db, row)),
			...(changed.length > 0 ? [copyStraysOf(db, order.id, now)] : []),
			...(overflow ? [overflow(db)] : []),
		];
		if (written.length === 0) continue;
		await runBatch(db, written);
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
			network,
			address: order.payInAddress,
			asset,
			orderId: order.id,
			counted: counted.toString(),
			isListed: chain.reserve === 'credits',
			waits: null,
			foundAt: row?.foundAt ?? now,
			lookedAt: now,
			dueAt: now,
		},
	];
}

/**
 * The statement that writes it; null where it is right, or where a wallet lists all payments. Where rows of dust are gone
 * that the order counts, nobody can tell, so nothing changes.
 */
function changedOverflow(
	{ chain, order, now }: Pick<Found, 'chain' | 'order' | 'now'>,
	held: bigint,
	moves: readonly TransactionRow[],
	{ on, before }: { readonly on: Recorded; readonly before: OverflowRow | undefined },
): ((db: Db) => Statement) | null {
	if (!chain.sweeping || on.dust < order.dustCount) return null;
	const { feePayer } = chain.sweeping;
	const { id: orderId, fromNetwork: network, payInAddress: address, fromAsset: asset } = order;
	const all = { came: countedOf(held, asset, moves, feePayer), swept: sweptOf(moves, asset, feePayer) };
	return overflowNow({ network, address, asset, orderId }, { ...all, recorded: on.recorded }, before, now);
}

function upsertStray(db: Db, row: typeof strays.$inferInsert): Statement {
	const { counted, waits = null, lookedAt, dueAt = null } = row;
	return db
		.insert(strays)
		.values(row)
		.onConflictDoUpdate({
			target: [strays.network, strays.address, strays.asset],
			set: { counted, waits, lookedAt, dueAt },
		});
}
