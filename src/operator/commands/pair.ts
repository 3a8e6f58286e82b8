/** `pair list` and `pair update` (operator.md). A pair that nobody has set has the defaults of decisions.md "Orders". */
import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { type Asset, allAssets, assetOf } from '../../catalog/assets.ts';
import { pairSettings, type Settings } from '../../catalog/settings.ts';
import { pairSettings as pairTable } from '../../catalog/table.ts';
import type { Market } from '../../pricing/market.ts';
import { command, fail } from '../command.ts';
import { changed, changeSettings, currentSettings, NOTHING_TO_CHANGE } from '../settings/changes.ts';
import { assetId, orderUsd } from '../settings/input.ts';
import { marketOrNull } from '../settings/market.ts';
import { whyNotOffered } from '../settings/pair-offer.ts';

const updateInput = z
	.strictObject({
		from: assetId,
		to: assetId,
		active: z.boolean().optional(),
		minUsd: orderUsd.optional(),
		maxUsd: orderUsd.optional(),
	})
	.refine(({ from, to }) => from !== to, 'a pair is of two different assets')
	.refine((input) => Object.keys(input).length > 2, NOTHING_TO_CHANGE);

/** `offered`: may be quoted and ordered now. `why`: what stands against that, of a pair that is not offered. */
function pairRecord(settings: Settings, market: Market | null, from: Asset, to: Asset, now: number) {
	const why = whyNotOffered(settings, market, from, to, now);
	return {
		from: from.code,
		to: to.code,
		...pairSettings(settings, from.code, to.code),
		offered: why === null,
		why,
	};
}

export const listPairs = command(z.strictObject({}), async (context) => {
	const [settings, market] = await Promise.all([currentSettings(context), marketOrNull(context)]);
	return allAssets().flatMap((from) =>
		allAssets()
			.filter((to) => to !== from)
			.map((to) => pairRecord(settings, market, from, to, context.now)),
	);
});

export const updatePair = command(updateInput, async (context, { from, to, ...wanted }) => {
	const settings = await currentSettings(context);
	const { after, changes } = changed(pairSettings(settings, from, to), wanted);
	const { active, minUsd, maxUsd } = after;
	if (minUsd > maxUsd) return fail(400, `the minimum of ${minUsd} USD would be above the maximum of ${maxUsd} USD`);
	const failure = await changeSettings(context, settings, {
		command: 'pair update',
		subject: `${from}>${to}`,
		changes,
		write: (condition) =>
			context.db
				.insert(pairTable)
				.select(sql`select ${from}, ${to}, ${Number(active)}, ${minUsd}, ${maxUsd} where ${condition}`)
				.onConflictDoUpdate({ target: [pairTable.fromAsset, pairTable.toAsset], set: after }),
	});
	if (failure) return failure;
	const [now, market] = await Promise.all([currentSettings(context), marketOrNull(context)]);
	return pairRecord(now, market, assetOf(from), assetOf(to), context.now);
});
