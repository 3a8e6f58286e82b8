/** Do the hot wallets hold what a day needs? A day's need is what the last 24 hours paid out. */
import { sql } from 'drizzle-orm';
import { type Asset, type AssetId, allAssets } from '../../catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName } from '../../catalog/networks.ts';
import { isSent } from '../../catalog/settings.ts';
import { exactSum } from '../../platform/d1/exact-sum.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { networkReport } from '../../pricing/market.ts';
import { transactions } from '../../treasury/table.ts';
import { coinsText, type Facts } from '../attention/waiting.ts';
import type { Context } from '../command.ts';
import { fine, type Part, type Row, unknown, wrong } from './row.ts';

type Needs = ReadonlyMap<AssetId, bigint>;

export const reserve: Part = async ({ facts, context }) => {
	const known = await facts();
	const needs = await paidInADay(context);
	return known.networks.filter(({ mode }) => mode !== 'off').map(({ name }) => rowOf(known, name, needs));
};

/** Base units by asset. The condition on `final_at` lets SQLite use the index of final transactions. */
async function paidInADay({ db, now }: Context): Promise<Needs> {
	const rows = await db
		.select({ asset: transactions.asset, paid: exactSum(transactions.amount) })
		.from(transactions)
		.where(
			sql`${transactions.network} in ${inJson(NETWORK_NAMES)}
				and ${transactions.finalAt} is not null and ${transactions.finalAt} > ${now - DAY_MILLISECONDS}
				and ${transactions.kind} in ('payout', 'earnings')`,
		)
		.groupBy(transactions.asset);
	return new Map(rows.map(({ asset, paid }) => [asset, paid]));
}

function rowOf(facts: Facts, network: NetworkName, needs: Needs): Row {
	const { market, settings, context, networks } = facts;
	const report = market && networkReport(market, network, context.now);
	if (!report)
		return unknown('reserve', network, 'it was not scanned lately', '`network check NAME` asks its nodes why');
	const offered = allAssets().filter((asset) => asset.network === network && isSent(settings, asset));
	const lacking = offered.flatMap((asset) => {
		const free = freeIn(report, asset);
		const need = needs.get(asset.code) ?? 0n;
		const mayLack = settings.beyondReserve.includes(asset.code) && need === 0n;
		if (mayLack || (free > 0n && free >= need)) return [];
		const ofNeed = need > 0n ? `; the last 24 hours paid ${coinsText(asset, need)}` : '';
		return [`${coinsText(asset, free)} free${ofNeed}`];
	});
	if (lacking.length === 0) return fine('reserve', network, 'covers the payouts of the last 24 hours');
	const address = networks.find(({ name }) => name === network)?.hotAddress ?? 'the hot wallet (`network list`)';
	const todo = `send coins to ${address}; or \`asset update CODE --active false\``;
	return wrong('reserve', network, lacking.join(', '), todo);
}

/** The hot wallet's balance beyond its dues, base units; not below zero. */
function freeIn({ reserves, owed }: NonNullable<ReturnType<typeof networkReport>>, { code }: Asset): bigint {
	const free = BigInt(reserves[code] ?? '0') - BigInt(owed?.[code] ?? '0');
	return free > 0n ? free : 0n;
}
