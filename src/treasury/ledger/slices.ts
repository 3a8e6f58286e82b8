/**
 * What no piece shows, in as many slices as there are pieces, so that each slice is bounded and a round over all pieces
 * is a round over all slices: entries that belong to no piece, and days whose kept flows are not what the transactions
 * say.
 */
import { and, eq, gte, inArray, lt, min, notExists, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { NETWORK_NAMES, type NetworkName } from '../../catalog/networks.ts';
import { exactSum, keptSum } from '../../d1/exact-sum.ts';
import { transactions } from '../table.ts';
import { ledgerEntries, ledgerOrders, walletFlows } from './table.ts';
import { feesOfFlows, movedOfFlows } from './wallet-store.ts';

/** Most orders without a piece that one slice names. */
const LIMIT = 100;
const DAY_MILLISECONDS = 86_400_000;
/** Order ids begin with eight hexadecimal digits. */
const IDS = 2 ** 32;

/** Slice `index` of `count`. */
export interface Slice {
	readonly index: number;
	readonly count: number;
}

/** A day of one network whose kept flow differs. */
export interface DifferingFlow {
	readonly network: NetworkName;
	/** Days since 1970. */
	readonly day: number;
}

/** Ids of orders with entries that no piece has: somebody wrote them past the triggers. */
export async function ordersWithoutPiece(db: DrizzleD1Database, { index, count }: Slice): Promise<string[]> {
	// Rounded down on both sides: one slice ends where the next begins.
	const boundary = (i: number) =>
		Math.floor((IDS * i) / count)
			.toString(16)
			.padStart(8, '0');
	const { orderId } = ledgerEntries;
	const rows = await db
		.selectDistinct({ orderId })
		.from(ledgerEntries)
		.where(
			and(
				index > 0 ? gte(orderId, boundary(index)) : gte(orderId, ''),
				index < count - 1 ? lt(orderId, boundary(index + 1)) : undefined,
				notExists(db.select({ one: sql`1` }).from(ledgerOrders).where(eq(ledgerOrders.orderId, orderId))),
			),
		)
		.limit(LIMIT);
	return rows.map((row) => row.orderId);
}

/** Days whose flows are not what their transactions add up to. */
export async function differingFlows(
	db: DrizzleD1Database,
	{ index, count }: Slice,
	now: number,
): Promise<DifferingFlow[]> {
	const first = (await firstDay(db)) ?? 0;
	const days = Math.max(1, Math.floor(now / DAY_MILLISECONDS) + 1 - first);
	const boundary = (i: number) => first + Math.floor((days * i) / count);
	const [from, to] = [boundary(index), index < count - 1 ? boundary(index + 1) : null];
	if (from === to) return [];
	const { kept, found } = await readFlows(db, from, to);
	const keys = new Set([...kept.keys(), ...found.keys()]);
	const wrong = [...keys].filter((key) => (kept.get(key) ?? NOTHING) !== (found.get(key) ?? NOTHING));
	const named = new Map(
		wrong.map((key) => key.split(' ')).map(([network, day]) => [`${network} ${day}`, [network, day]]),
	);
	return [...named.values()].map(([network, day]) => ({ network: network as NetworkName, day: Number(day) }));
}

const NOTHING = '0 0 0';

async function readFlows(db: DrizzleD1Database, from: number, to: number | null) {
	const { network, kind, asset, finalAt } = transactions;
	const day = sql<number>`${finalAt} / ${sql.raw(String(DAY_MILLISECONDS))}`;
	const moved = sql`iif(${transactions.state} = 'final' and ${transactions.settledTxId} is null, ${transactions.amount}, '0')`;
	const until = (column: SQL | typeof walletFlows.day, factor: number) =>
		to === null ? undefined : sql`${column} < ${to * factor}`;
	const [kept, found] = await db.batch([
		db
			.select({
				...{ network: walletFlows.network, day: walletFlows.day, kind: walletFlows.kind, asset: walletFlows.asset },
				...{
					rows: sql<number>`sum(${walletFlows.transactions})`,
					moved: keptSum(movedOfFlows),
					fee: keptSum(feesOfFlows),
				},
			})
			.from(walletFlows)
			.where(
				and(inArray(walletFlows.network, [...NETWORK_NAMES]), gte(walletFlows.day, from), until(walletFlows.day, 1)),
			)
			.groupBy(walletFlows.network, walletFlows.day, walletFlows.kind, walletFlows.asset),
		db
			.select({
				...{ network, day, kind, asset, rows: sql<number>`count(*)` },
				...{ moved: exactSum(moved), fee: exactSum(sql`coalesce(${transactions.fee}, '0')`) },
			})
			.from(transactions)
			.where(
				and(
					inArray(network, [...NETWORK_NAMES]),
					sql`${finalAt} is not null and ${finalAt} >= ${from * DAY_MILLISECONDS}`,
					until(sql`${finalAt}`, DAY_MILLISECONDS),
				),
			)
			.groupBy(network, day, kind, asset),
	]);
	return { kept: byKey(kept), found: byKey(found) };
}

interface Flow {
	readonly network: NetworkName;
	readonly day: number;
	readonly kind: string;
	readonly asset: string;
	readonly rows: number;
	readonly moved: bigint;
	readonly fee: bigint;
}

const byKey = (flows: readonly Flow[]): Map<string, string> =>
	new Map(
		flows.map(({ network, day, kind, asset, rows, moved, fee }) => [
			[network, day, kind, asset].join(' '),
			[rows, moved, fee].join(' '),
		]),
	);

/** The first day on which a transaction became final; null where there is none. */
async function firstDay(db: DrizzleD1Database): Promise<number | null> {
	const isNamed = and(inArray(walletFlows.network, [...NETWORK_NAMES]), gte(walletFlows.day, 0));
	const [row] = await db
		.select({ day: min(walletFlows.day) })
		.from(walletFlows)
		.where(isNamed);
	return row?.day ?? null;
}
