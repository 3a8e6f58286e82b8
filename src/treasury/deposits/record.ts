/**
 * Looking at a chain and recording what is there (architecture.md "Money, step by step" 1). The chain says what holds
 * now, the rows say what was recorded; the difference is written, so a reorganisation needs no path of its own.
 */
import { and, eq, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { isFinal } from '../../chains/finality.ts';
import type { Chain, DepositRef, Depth, ObservedDeposit, Scan } from '../../chains/port.ts';
import { runInBatches } from '../../d1/batches.ts';
import { decimal, usdCents } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { type DepositRow, deposits, orders } from '../../orders/table.ts';
import { type Market, usdPrice } from '../../pricing/market.ts';
import type { UnseenSince } from './unseen.ts';
import { chunks, DUST_PER_ORDER, inJson, refOf, watchedAddresses } from './watch-list.ts';

/** Recorded deposits that one look asks the chain about again. */
const RECHECK_LIMIT = 500;
/** Beyond this many base units lie the books (`exact-sum.ts`), and far below it all coins that there are. */
const MAX_AMOUNT = 10n ** 36n;

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
	/** The same of assets that later looks could tell nothing of. */
	readonly unseenSince?: UnseenSince | undefined;
	/** Counts looks: the older addresses are looked at in turn. */
	readonly turn: number;
}

export interface Seen extends Scan {
	/** Orders whose deposits changed. */
	readonly orderIds: string[];
	/** What the chain said and nobody should deal on, one line each, for the log and the operator. */
	readonly oddities: readonly string[];
}

/** What the chain said; store the cursor, where the next look begins, only after this has returned. */
export async function lookAtChain(look: Look, cursor: string | null): Promise<Seen> {
	const { db, network, chain } = look;
	const turn = { network, since: look.lastLookAt ?? look.now, look: look.turn, feePayer: chain.sweeping?.feePayer };
	const scan = await chain.scan(cursor, (which) => watchedAddresses(db, { ...turn, which }));
	const byAddress = await ordersAt(db, network, [...new Set(scan.deposits.map(({ address }) => address))]);
	const ours = scan.deposits.filter(({ address, asset }) => byAddress.get(address)?.fromAsset === asset);
	const observed = ours.filter(({ amount }) => amount < MAX_AMOUNT);
	const recorded = new Map((await recordedAmong(db, network, observed)).map((row) => [keyOf(row), row]));

	// What is on record with another amount is asked about as it is recorded: the old amount must vanish first.
	const isOther = (deposit: ObservedDeposit) => isChanged(recorded.get(keyOf(deposit)), deposit);
	const seenNow = new Set(observed.filter((deposit) => !isOther(deposit)).map(keyOf));
	const missing = (await openDeposits(db, network)).filter((row) => !seenNow.has(keyOf(row)));
	const depths = missing.length > 0 ? await chain.depths(missing.map(refOf)) : [];

	const { kept, flooded } = await withoutFlood(
		db,
		recorded,
		observed.flatMap((deposit) => {
			if (isOther(deposit)) return [];
			const orderId = byAddress.get(deposit.address)?.id;
			return orderId ? changedRow(look, recorded.get(keyOf(deposit)), { ...deposit, orderId }, deposit) : [];
		}),
	);
	const rows = [
		...kept,
		...missing.flatMap((row, i) => {
			const depth = depths[i] ?? null;
			return depth === 'unknown' ? [] : changedRow(look, row, { ...row, amount: BigInt(row.amount) }, depth);
		}),
	];
	await runInBatches(
		db,
		rows.map((row) => upsert(db, row)),
	);
	const absurd = ours.filter(({ amount }) => amount >= MAX_AMOUNT).map(({ address }) => byAddress.get(address)?.id);
	return {
		...scan,
		orderIds: [...new Set(rows.map(({ orderId }) => orderId))],
		oddities: [
			...(scan.unread ?? []),
			...missing.flatMap(({ orderId, txId }, i) =>
				depths[i] === 'unknown'
					? `the node cannot tell now of deposit ${txId} to order ${orderId}: it stays as it was last seen`
					: [],
			),
			...absurd.map((orderId) => `a deposit to order ${orderId} of more coins than there are is not recorded`),
			...flooded.map(
				(orderId) => `order ${orderId} is flooded with dust; what is beyond ${DUST_PER_ORDER} is not recorded`,
			),
		],
	};
}

/** Of dust that is new, no more than an order may have. */
async function withoutFlood(
	db: DrizzleD1Database,
	recorded: ReadonlyMap<string, DepositRow>,
	rows: readonly DepositRow[],
): Promise<{ kept: DepositRow[]; flooded: string[] }> {
	const isNewDust = (row: DepositRow) => row.dust && !recorded.has(keyOf(row));
	const counts = await dustCounts(db, [...new Set(rows.filter(isNewDust).map(({ orderId }) => orderId))]);
	const flooded = new Set<string>();
	const kept = rows.filter((row) => {
		if (!isNewDust(row)) return true;
		const count = counts.get(row.orderId) ?? 0;
		counts.set(row.orderId, count + 1);
		if (count >= DUST_PER_ORDER) flooded.add(row.orderId);
		return count < DUST_PER_ORDER;
	});
	return { kept, flooded: [...flooded] };
}

async function dustCounts(db: DrizzleD1Database, orderIds: readonly string[]): Promise<Map<string, number>> {
	const counts = new Map<string, number>();
	for (const part of chunks(orderIds)) {
		const rows = await db
			.select({ id: orders.id, dust: orders.dustCount })
			.from(orders)
			.where(sql`${orders.id} in ${inJson(part)}`);
		for (const { id, dust } of rows) counts.set(id, dust);
	}
	return counts;
}

/** The address belongs to it: from inside a contract one transaction may pay several (`migrations/0003_orders.sql`). */
const keyOf = ({ txId, position, address }: Pick<DepositRef, 'txId' | 'position' | 'address'>): string =>
	`${txId} ${position} ${address}`;

/** Only one that vanished comes again with another amount: an amount that stands on the chain does not change. */
const isChanged = (recorded: DepositRow | undefined, { amount }: DepositRef): boolean =>
	recorded?.state === 'seen' && recorded.amount !== amount.toString();

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
	const isSame = recorded?.amount === deposit.amount.toString();
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
			setAside: recorded?.setAside ?? false,
			dust: isSame ? recorded.dust : deposit.amount < (look.fees[deposit.asset] ?? 0n),
			payoutId: null,
			firstSeenAt: recorded?.firstSeenAt ?? look.unseenSince?.[deposit.asset] ?? look.lastLookAt ?? look.now,
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
			// A reorganisation may bring back what vanished with another amount; what is final never changes.
			set: { state: row.state, amount: row.amount, dust: row.dust, lastSeenAt: row.lastSeenAt },
			setWhere: sql`${deposits.state} <> 'final'`,
		});

async function ordersAt(db: DrizzleD1Database, network: NetworkName, addresses: readonly string[]) {
	const found = new Map<string, { readonly id: string; readonly fromAsset: AssetId }>();
	for (const part of chunks(addresses)) {
		const rows = await db
			.select({ id: orders.id, address: orders.payInAddress, fromAsset: orders.fromAsset })
			.from(orders)
			.where(and(eq(orders.fromNetwork, network), sql`${orders.payInAddress} in ${inJson(part)}`));
		for (const { address, id, fromAsset } of rows) found.set(address, { id, fromAsset });
	}
	return found;
}

async function recordedAmong(
	db: DrizzleD1Database,
	network: NetworkName,
	observed: readonly ObservedDeposit[],
): Promise<DepositRow[]> {
	const rows: DepositRow[] = [];
	for (const part of chunks([...new Set(observed.map(({ txId }) => txId))])) {
		const found = await db
			.select()
			.from(deposits)
			.where(and(eq(deposits.network, network), sql`${deposits.txId} in ${inJson(part)}`));
		rows.push(...found);
	}
	return rows;
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
