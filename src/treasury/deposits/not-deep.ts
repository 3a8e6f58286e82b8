/**
 * The value that is on its way on a network: the value of all deposits that are not yet as deep as the largest value
 * must be. Each of them needs the confirmations of the whole, so that splitting a payment over orders or outputs wins
 * nothing (book: networks, "Confirmations").
 */
import { and, eq, gt, sql } from 'drizzle-orm';
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { deepMilliseconds, hasSteps, NOT_RAISED, type Raised } from '../../catalog/confirmations.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { networkSettings } from '../../catalog/table.ts';
import type { Depth } from '../../chains/port.ts';
import { decimal, usdCents } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { deposits } from '../../orders/table.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import type { Db } from '../../platform/d1/database.ts';
import { type Market, usdPrice } from '../../pricing/market.ts';

interface Value {
	readonly asset: AssetId;
	readonly amount: bigint;
}

interface Polled {
	readonly db: Db;
	readonly network: NetworkName;
	readonly market: Market | null;
	readonly now: number;
}

/** The blocks that the operator asks beyond the catalog, as they are now. */
async function raisedOn(db: Db, network: NetworkName): Promise<Raised> {
	const { confirmations, aboveUsd, confirmationsAbove } = networkSettings;
	const isIt = eq(networkSettings.name, network);
	const [row] = await db.select({ confirmations, aboveUsd, confirmationsAbove }).from(networkSettings).where(isIt);
	return row ?? NOT_RAISED;
}

/** The facts by which the deposits of a poll that are not final yet are judged. */
export interface Judged {
	readonly raised: Raised;
	/**
	 * US cents, rounded down for each deposit: those in a block that are not deep yet. What only a mempool has does not
	 * count, because it costs nothing to send. Null where one has no price, and where no value asks for more.
	 */
	readonly notDeep: number | null;
}

/** `open`: with the depth that each has now; null: dropped. Where nothing is open, nothing is read. @throws what D1 throws */
export async function judgedBy(
	polled: Polled,
	open: readonly { readonly deposit: Value; readonly depth: Depth | null }[],
): Promise<Judged> {
	if (open.length === 0) return { raised: NOT_RAISED, notDeep: null };
	const { db, network, now } = polled;
	const raised = await raisedOn(db, network);
	if (!hasSteps(network, raised)) return { raised, notDeep: null };
	const inBlocks = open.filter(({ depth }) => depth && depth.confirmations > 0).map(({ deposit }) => deposit);
	const lately = await latelyFinal(db, network, now - deepMilliseconds(network, raised));
	const values = [...inBlocks, ...lately].map((value) => valueUsdCents(polled, value));
	const isKnown = values.every((value) => value !== null);
	return { raised, notDeep: isKnown ? values.reduce((sum, value) => sum + value, 0) : null };
}

/** The US cents that are on their way with this deposit; null where that is not known, or does not matter. */
export function onItsWay(judged: Polled & Judged, deposit: Value, { confirmations }: Depth): number | null {
	const own = confirmations > 0 ? 0 : valueUsdCents(judged, deposit);
	return judged.notDeep === null || own === null ? null : judged.notDeep + own;
}

function valueUsdCents({ market, now }: Polled, { asset, amount }: Value): number | null {
	const price = market && usdPrice(market, assetOf(asset), now);
	return price ? usdCents(decimal(fromBaseUnits(amount, assetOf(asset).decimals)).times(price)) : null;
}

/** Deposits of this network that became final after `since`. */
async function latelyFinal(db: Db, network: NetworkName, since: number): Promise<Value[]> {
	const rows = await db
		.select(fromIndex({ asset: deposits.asset, amount: deposits.amount }))
		.from(byIndex(deposits, 'deposits_lately_final'))
		// Literal, for the partial index.
		.where(and(eq(deposits.network, network), sql`${deposits.state} = 'final'`, gt(deposits.lastSeenAt, since)));
	return rows.map(({ asset, amount }) => ({ asset, amount: BigInt(amount) }));
}
