/**
 * Checks of what no piece shows, in as many slices as there are pieces, so that each slice is bounded and a round over
 * all pieces is a round over all slices: entries that belong to no piece, earnings that are wrongly listed as unpaid or
 * not, final deposits that are not what was kept, and days whose kept flows are not what the transactions say.
 */
import { and, gte, inArray, lt, min, type SQL, sql } from 'drizzle-orm';
import { NETWORK_NAMES, type NetworkName } from '../../catalog/networks.ts';
import { deposits } from '../../orders/table.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import type { Db } from '../../platform/d1/database.ts';
import { exactSum, keptSum } from '../../platform/d1/exact-sum.ts';
import { pick } from '../../platform/pick.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { isEarned } from '../earnings/store.ts';
import { partnerPayoutOrders, unpaidEarnings } from '../earnings/table.ts';
import { transactions } from '../table.ts';
import type { Differing } from './proof.ts';
import { depositSums, ledgerEntries, ledgerOrders, walletFlows } from './table.ts';
import { feesOfFlows, limbsOfDeposits, movedOfFlows } from './wallet-store.ts';

/** Most orders that one slice names. */
const LIMIT = 100;
/** Ids of orders and transactions begin with eight hexadecimal digits. */
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

/** Ids of orders whose rows somebody wrote past the triggers. */
export interface MisplacedOrders {
	/** Their entries are in no piece. */
	readonly withoutPiece: readonly string[];
	/** Their earnings are listed as unpaid and were paid, or neither. */
	readonly wronglyPaid: readonly string[];
}

/** The slices have every id: the first begins before all, and the last has what follows. */
export function idsOfSlice(column: typeof ledgerEntries.orderId | typeof transactions.id, { index, count }: Slice) {
	// Rounded down on both sides: one slice ends where the next begins.
	const boundary = (i: number) =>
		Math.floor((IDS * i) / count)
			.toString(16)
			.padStart(8, '0');
	return and(
		gte(column, index > 0 ? boundary(index) : ''),
		index < count - 1 ? lt(column, boundary(index + 1)) : undefined,
	);
}

export async function misplacedOrders(db: Db, slice: Slice): Promise<MisplacedOrders> {
	const { orderId } = ledgerEntries;
	const hasPiece = sql`exists (select 1 from ${ledgerOrders} where ${ledgerOrders.orderId} = ${orderId})`;
	const isUnpaid = sql`exists (select 1 from ${unpaidEarnings} where ${unpaidEarnings.orderId} = ${orderId})`;
	const isPaid = sql`exists (select 1 from ${partnerPayoutOrders} where ${partnerPayoutOrders.orderId} = ${orderId})`;
	const rows = await db
		.selectDistinct({ orderId, hasPiece: sql<0 | 1>`${hasPiece}` })
		.from(ledgerEntries)
		.where(and(idsOfSlice(orderId, slice), sql`(not ${hasPiece} or (${isEarned} and ${isUnpaid} = ${isPaid}))`))
		.limit(LIMIT);
	const idsOf = (wanted: 0 | 1) => rows.filter((row) => row.hasPiece === wanted).map((row) => row.orderId);
	return { withoutPiece: idsOf(0), wronglyPaid: idsOf(1) };
}

/** Parts of the kept deposits: two hexadecimal characters. */
const PARTS = 256;

/** Kept sums of final deposits that are not what the deposits add up to. */
export async function differingDeposits(db: Db, { index, count }: Slice): Promise<Differing[]> {
	const boundary = (i: number) => Math.floor((PARTS * i) / count);
	const [from, to] = [boundary(index), boundary(index + 1)];
	if (from === to) return [];
	const begin = (part: number) => part.toString(16).padStart(2, '0');
	// The first part begins before every id, and the last has all that follow.
	const within = (column: SQL | typeof depositSums.part) =>
		and(
			from === 0 ? sql`${column} > ''` : sql`${column} >= ${begin(from)}`,
			to === PARTS ? undefined : sql`${column} < ${begin(to)}`,
		);
	const [kept, found] = await db.batch([
		db
			.select({
				asset: depositSums.asset,
				amount: keptSum(limbsOfDeposits),
				rows: sql<number>`sum(${depositSums.deposits})`,
			})
			.from(depositSums)
			.where(within(depositSums.part))
			.groupBy(depositSums.asset),
		db
			.select(fromIndex({ asset: deposits.asset, amount: exactSum(deposits.amount), rows: sql<number>`count(*)` }))
			.from(byIndex(deposits, 'deposits_by_order'))
			.where(and(within(sql`${deposits.orderId}`), sql`${deposits.state} = 'final'`))
			.groupBy(deposits.asset),
	]);
	const none = { amount: 0n, rows: 0 };
	const account = `final deposits of orders from ${begin(from)} to ${begin(to - 1)}`;
	return [...new Set([...kept, ...found].map(({ asset }) => asset))].flatMap((asset) => {
		const ours = kept.find((one) => one.asset === asset) ?? none;
		const theirs = found.find((one) => one.asset === asset) ?? none;
		if (ours.amount === theirs.amount && ours.rows === theirs.rows) return [];
		return [{ piece: null, account, asset, kept: ours.amount, found: theirs.amount }];
	});
}

/** Days whose flows are not what their transactions add up to. */
export async function differingFlows(db: Db, { index, count }: Slice, now: number): Promise<DifferingFlow[]> {
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

async function readFlows(db: Db, from: number, to: number | null) {
	const { network, kind, asset, finalAt } = transactions;
	const day = sql<number>`${finalAt} / ${sql.raw(String(DAY_MILLISECONDS))}`;
	const moved = sql`iif(${transactions.state} = 'final' and ${transactions.settledTxId} is null, ${transactions.amount}, '0')`;
	const until = (column: SQL | typeof walletFlows.day, factor: number) =>
		to === null ? undefined : sql`${column} < ${to * factor}`;
	const [kept, found] = await db.batch([
		db
			.select({
				...pick(walletFlows, 'network', 'day', 'kind', 'asset'),
				rows: sql<number>`sum(${walletFlows.transactions})`,
				moved: keptSum(movedOfFlows),
				fee: keptSum(feesOfFlows),
			})
			.from(walletFlows)
			.where(
				and(inArray(walletFlows.network, [...NETWORK_NAMES]), gte(walletFlows.day, from), until(walletFlows.day, 1)),
			)
			.groupBy(walletFlows.network, walletFlows.day, walletFlows.kind, walletFlows.asset),
		db
			.select({
				network,
				day,
				kind,
				asset,
				rows: sql<number>`count(*)`,
				moved: exactSum(moved),
				fee: exactSum(sql`coalesce(${transactions.fee}, '0')`),
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

type Flow = Readonly<Record<'network' | 'day' | 'kind' | 'asset' | 'rows' | 'moved' | 'fee', unknown>>;

const byKey = (flows: readonly Flow[]): Map<string, string> =>
	new Map(
		flows.map(({ network, day, kind, asset, rows, moved, fee }) => [
			[network, day, kind, asset].join(' '),
			[rows, moved, fee].join(' '),
		]),
	);

/** The first day on which a transaction became final; null where there is none. */
async function firstDay(db: Db): Promise<number | null> {
	const isNamed = and(inArray(walletFlows.network, [...NETWORK_NAMES]), gte(walletFlows.day, 0));
	const first = { day: min(walletFlows.day) };
	return (await db.select(first).from(walletFlows).where(isNamed))[0]?.day ?? null;
}
