/** How long each hot wallet lasts: what it has free, and what the last days took from it. */
import { sql } from 'drizzle-orm';
import { type Asset, type AssetId, allAssets } from '../../catalog/assets.ts';
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { isSent } from '../../catalog/settings.ts';
import { toBaseUnits } from '../../money/units.ts';
import { exactSum } from '../../platform/d1/exact-sum.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { assetLean } from '../../pricing/lean.ts';
import { freeReserve } from '../../pricing/limits.ts';
import type { Market } from '../../pricing/market.ts';
import { transactions } from '../../treasury/table.ts';
import type { Facts } from '../attention/waiting.ts';
import type { Context } from '../command.ts';

const HOURS_A_DAY = 24n;
/** Without a target of the operator this much should be free. */
const TARGET_DAYS = 2n;

/** One asset that is paid out here, on a network that was scanned lately. Base units. */
export interface ReserveState {
	readonly asset: Asset;
	/** The hot wallet's balance beyond its dues; not below zero. */
	readonly free: bigint;
	/** The payouts of the last 24 hours. */
	readonly paidInADay: bigint;
	/** How long `free` lasts at that pace, rounded down; null where nothing was paid. */
	readonly hours: bigint | null;
	readonly target: bigint;
	/** The operator named the target, or a pace gives one. */
	readonly hasTarget: boolean;
	/** Nothing is free, and orders beyond it are not taken: every order that pays it is refused. */
	readonly isSoldOut: boolean;
}

/** `paid`: the rows of `paidInADay`. None while there is no market. */
export function reserveStates(
	{ market, settings, context }: Facts,
	paid: readonly { readonly asset: AssetId; readonly paid: bigint }[],
): ReserveState[] {
	if (!market) return [];
	const paidOf = new Map(paid.map((row) => [row.asset, row.paid]));
	return allAssets()
		.filter((asset) => isSent(settings, asset))
		.flatMap((asset): ReserveState[] => {
			const free = freeReserve(market, asset, context.now);
			if (free === null) return [];
			const day = paidOf.get(asset.code) ?? 0n;
			const wanted = settings.targets[asset.code];
			return [
				{
					asset,
					free,
					paidInADay: day,
					hours: day > 0n ? (free * HOURS_A_DAY) / day : null,
					target: wanted === undefined ? day * TARGET_DAYS : toBaseUnits(wanted, asset.decimals),
					hasTarget: wanted !== undefined || day > 0n,
					isSoldOut: free === 0n && !settings.beyondReserve.includes(asset.code),
				},
			];
		});
}

/** How the asset's reserve leans the base fee now, as rows show it; null where there is no market. */
export function leanFields(market: Market | null, asset: Asset, now: number) {
	const lean = market && assetLean(market, asset, now);
	return { leanOutBps: lean?.paidOut ?? null, leanInBps: lean?.paidIn ?? null };
}

/** Base units by asset. The condition on `final_at` lets SQLite use the index of final transactions. */
export const paidInADay = ({ db, now }: Pick<Context, 'db' | 'now'>) =>
	db
		.select({ asset: transactions.asset, paid: exactSum(transactions.amount) })
		.from(transactions)
		.where(
			sql`${transactions.network} in ${inJson(NETWORK_NAMES)}
				and ${transactions.finalAt} is not null and ${transactions.finalAt} > ${now - DAY_MILLISECONDS}
				and ${transactions.kind} in ('payout', 'earnings')`,
		)
		.groupBy(transactions.asset);
