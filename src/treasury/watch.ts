/**
 * Looking at a chain and recording what is there (architecture.md "Money, step by step" 1). The chain says what holds
 * now, the rows say what was recorded; the difference is written, so a reorganisation needs no path of its own.
 */
import { and, eq, getTableColumns, gt, ne, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type AssetId, assetOf } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { isFinal } from '../chains/finality.ts';
import type { Chain, DepositRef, Depth, ObservedDeposit, Scan, WatchedAddress } from '../chains/port.ts';
import { decimal, usdCents } from '../money/decimal.ts';
import { fromBaseUnits } from '../money/units.ts';
import { type DepositRow, deposits, orders } from '../orders/table.ts';
import { type Market, usdPrice } from '../pricing/market.ts';
import { runInBatches } from './batches.ts';
import { takenFrom } from './reserve-rules.ts';
import { payouts } from './table.ts';

/** Recorded deposits that one look asks the chain about again. */
const RECHECK_LIMIT = 500;

export interface Look {
	readonly db: DrizzleD1Database;
	readonly network: NetworkName;
	readonly chain: Chain;
	/** For a deposit's value; null while there is none: then the strictest tier and no dust. */
	readonly market: Market | null;
	/** What a payment of each asset costs, in its own base units: a deposit worth less is dust. */
	readonly fees: Readonly<Partial<Record<AssetId, bigint>>>;
	readonly now: number;
	/**
	 * Unix milliseconds of the last look that worked. Whatever is new may have come right after it, and a payer is not
	 * late because we looked away.
	 */
	readonly lastLookAt: number | null;
}

export interface Seen extends Scan {
	/** Orders whose deposits changed. */
	readonly orderIds: string[];
}

/** What the chain said; store the cursor, where the next look begins, only after this has returned. */
export async function lookAtChain(look: Look, cursor: string | null): Promise<Seen> {
	const { db, network, chain } = look;
	const scan = await chain.scan(cursor, () => watchedAddresses(look));
	const byAddress = await ordersAt(db, network, [...new Set(scan.deposits.map(({ address }) => address))]);
	const observed = scan.deposits.filter(({ address, asset }) => byAddress.get(address)?.fromAsset === asset);
	const recorded = new Map((await recordedAmong(db, network, observed)).map((row) => [keyOf(row), row]));

	const seenNow = new Set(observed.map(keyOf));
	const missing = (await openDeposits(db, network)).filter((row) => !seenNow.has(keyOf(row)));
	const depths = missing.length > 0 ? await chain.depths(missing.map(refOf)) : [];

	const rows = [
		...observed.flatMap((deposit) => {
			const orderId = byAddress.get(deposit.address)?.id;
			return orderId ? changedRow(look, recorded.get(keyOf(deposit)), { ...deposit, orderId }, deposit) : [];
		}),
		...missing.flatMap((row, i) => changedRow(look, row, { ...row, amount: BigInt(row.amount) }, depths[i] ?? null)),
	];
	await runInBatches(
		db,
		rows.map((row) => upsert(db, row)),
	);
	return { ...scan, orderIds: [...new Set(rows.map(({ orderId }) => orderId))] };
}

/** The address belongs to it: from inside a contract one transaction may pay several (`migrations/0003_orders.sql`). */
const keyOf = ({ txId, position, address }: Pick<DepositRef, 'txId' | 'position' | 'address'>): string =>
	`${txId} ${position} ${address}`;

const refOf = ({ txId, position, address, asset, amount }: DepositRow): DepositRef => ({
	txId,
	position,
	address,
	asset,
	amount: BigInt(amount),
});

/** The row as it should be, if it differs from the one recorded. A final deposit is settled truth and stays. */
function changedRow(
	look: Look,
	recorded: DepositRow | undefined,
	deposit: DepositRef & { readonly orderId: string },
	depth: Depth | null,
): DepositRow[] {
	if (recorded?.state === 'final') return [];
	const state = !depth ? 'gone' : isFinal(look.network, depth, valueUsdCents(look, deposit)) ? 'final' : 'seen';
	if (recorded?.state === state) return [];
	return [
		{
			network: look.network,
			txId: deposit.txId,
			position: deposit.position,
			orderId: deposit.orderId,
			address: deposit.address,
			asset: deposit.asset,
			amount: deposit.amount.toString(),
			state,
			dust: recorded?.dust ?? deposit.amount < (look.fees[deposit.asset] ?? 0n),
			payoutId: null,
			firstSeenAt: recorded?.firstSeenAt ?? look.lastLookAt ?? look.now,
			// Of one that vanished too: it was there until this look, and its 24 hours begin here, also after an outage.
			lastSeenAt: look.now,
		},
	];
}

function valueUsdCents({ market, now }: Look, { asset, amount }: DepositRef): number | null {
	const price = market && usdPrice(market, assetOf(asset), now);
	return price ? usdCents(decimal(fromBaseUnits(amount, assetOf(asset).decimals)).times(price)) : null;
}

const upsert = (db: DrizzleD1Database, row: DepositRow) =>
	db
		.insert(deposits)
		.values(row)
		.onConflictDoUpdate({
			target: [deposits.network, deposits.txId, deposits.position, deposits.address],
			set: { state: row.state, lastSeenAt: row.lastSeenAt },
			setWhere: sql`${deposits.state} <> 'final'`,
		});

const inJson = (values: readonly string[]) => sql`(select value from json_each(${JSON.stringify(values)}))`;

async function ordersAt(db: DrizzleD1Database, network: NetworkName, addresses: readonly string[]) {
	if (addresses.length === 0) return new Map<string, never>();
	const rows = await db
		.select({ id: orders.id, address: orders.payInAddress, fromAsset: orders.fromAsset })
		.from(orders)
		.where(and(eq(orders.fromNetwork, network), sql`${orders.payInAddress} in ${inJson(addresses)}`));
	return new Map(rows.map((row) => [row.address, row]));
}

async function recordedAmong(
	db: DrizzleD1Database,
	network: NetworkName,
	observed: readonly ObservedDeposit[],
): Promise<DepositRow[]> {
	if (observed.length === 0) return [];
	const txIds = observed.map(({ txId }) => txId);
	return db
		.select()
		.from(deposits)
		.where(and(eq(deposits.network, network), sql`${deposits.txId} in ${inJson(txIds)}`));
}

/** Literal, because SQLite takes a partial index only for the words that it was made with. */
const isOpen = sql`${deposits.state} <> 'final'`;

function openDeposits(db: DrizzleD1Database, network: NetworkName): Promise<DepositRow[]> {
	return (
		db
			.select()
			.from(deposits)
			.where(and(eq(deposits.network, network), isOpen, eq(deposits.state, 'seen')))
			// In no order, so that where there are more of them each has its turn.
			.orderBy(sql`random()`)
			.limit(RECHECK_LIMIT)
	);
}

/** Only what cannot come back any more: a sweep that a reorganisation undoes must not look like a deposit. */
const isFinalSweep = sql`${payouts.kind} = 'sweep' and ${payouts.state} = 'final'`;

async function watchedAddresses({ db, network, chain, now }: Look): Promise<WatchedAddress[]> {
	const isWatched = and(eq(orders.fromNetwork, network), gt(orders.watchUntil, now));
	const [watched, known, sweeps] = await db.batch([
		db.select({ address: orders.payInAddress, asset: orders.fromAsset }).from(orders).where(isWatched),
		db
			.select(getTableColumns(deposits))
			.from(deposits)
			.innerJoin(orders, eq(orders.id, deposits.orderId))
			.where(and(isWatched, ne(deposits.state, 'gone'))),
		db
			.select()
			.from(payouts)
			.where(and(eq(payouts.network, network), isFinalSweep)),
	]);
	const refs = Map.groupBy(known, ({ address }) => address);
	const swept = Map.groupBy(sweeps, ({ payInAddress }) => payInAddress);
	return watched.map(({ address, asset }) => ({
		address,
		asset,
		known: (refs.get(address) ?? []).map(refOf),
		swept: takenFrom(swept.get(address) ?? [], asset, chain.sweeping?.feePayer),
	}));
}
