/** `pair list` and `pair update`. A pair that was never set has the default bounds. */
import { sql } from 'drizzle-orm';
import { type AssetPair, allAssets, assetOf } from '../../catalog/assets.ts';
import { pairKey, pairSettings, type Settings } from '../../catalog/settings.ts';
import { pairSettings as pairTable } from '../../catalog/table.ts';
import type { Market } from '../../pricing/market.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { fail, type RunOf, type RunsOf } from '../command.ts';
import { changed, changeSettings, currentSettings } from '../settings/changes.ts';
import { whyNotOffered } from '../settings/pair-offer.ts';
import type { pair as topic } from '../topics/pair.ts';

/** `offered`: may be quoted and ordered now. `why`: everything that prevents it; null for a pair that is offered. */
function pairRecord(settings: Settings, market: Market | null, { from, to }: AssetPair, now: number) {
	const why = whyNotOffered(settings, market, { from, to }, now);
	return { from: from.code, to: to.code, ...pairSettings(settings, from.code, to.code), offered: why === null, why };
}

const listPairs: RunOf<typeof topic, 'list'> = async (context) => {
	const [settings, market] = await Promise.all([currentSettings(context), marketOrNull(context.env)]);
	return allAssets().flatMap((from) =>
		allAssets()
			.filter((to) => to !== from)
			.map((to) => pairRecord(settings, market, { from, to }, context.now)),
	);
};

const updatePair: RunOf<typeof topic, 'update'> = async (context, { from, to, ...wanted }) => {
	const settings = await currentSettings(context);
	const { after, changes } = changed(pairSettings(settings, from, to), wanted);
	const { active, minUsd, maxUsd } = after;
	if (minUsd > maxUsd) return fail(400, `the minimum of ${minUsd} USD would be above the maximum of ${maxUsd} USD`);
	const bounds = wanted.minUsd === undefined && wanted.maxUsd === undefined ? {} : { minUsd, maxUsd };
	const failure = await changeSettings(context, settings, {
		// The bounds belong together: those of two times may exclude each other.
		of: { table: 'pair', name: pairKey(from, to), named: { ...wanted, ...bounds } },
		changes,
		write: (condition) =>
			context.db
				.insert(pairTable)
				.select(sql`select ${from}, ${to}, ${Number(active)}, ${minUsd}, ${maxUsd} where ${condition}`)
				.onConflictDoUpdate({ target: [pairTable.fromAsset, pairTable.toAsset], set: after }),
	});
	if (failure) return failure;
	const [now, market] = await Promise.all([currentSettings(context), marketOrNull(context.env)]);
	return pairRecord(now, market, { from: assetOf(from), to: assetOf(to) }, context.now);
};

export const pairRuns: RunsOf<typeof topic> = { list: listPairs, update: updatePair };
