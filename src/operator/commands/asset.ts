/** `asset list` and `asset update`. */
import { sql } from 'drizzle-orm';
import { type Asset, type AssetId, allAssets, assetOf } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { isReceived, isSent, leanBounds, type Settings } from '../../catalog/settings.ts';
import { assetSettings } from '../../catalog/table.ts';
import { networkMode } from '../../chains/configuration.ts';
import { parseAmount } from '../../money/amount.ts';
import { plain } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import { networkReport, usdPrice } from '../../pricing/market.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { assetUnder, monitorCodeOf } from '../../pricing/monitor-codes.ts';
import { type Context, fail, type RunOf, type RunsOf } from '../command.ts';
import { leanFields } from '../reserves/states.ts';
import { changed, changeSettings, currentSettings } from '../settings/changes.ts';
import type { asset as topic } from '../topics/asset.ts';

const assetRow = (settings: Settings, code: AssetId) => ({
	active: !settings.inactiveAssets.includes(code),
	reserve: settings.reserves[code] ?? null,
	target: settings.targets[code] ?? null,
	beyondReserve: settings.beyondReserve.includes(code),
	...leanBounds(settings, code),
	bestchangeCode: settings.monitorCodes.bestchange[code] ?? null,
	fixedfloatCode: settings.monitorCodes.fixedfloat[code] ?? null,
});

/** As the feeds name it now; null where it is left out. */
const feedCodes = (settings: Settings, code: AssetId) => ({
	bestchangeCode: monitorCodeOf(settings, 'bestchange', code),
	fixedfloatCode: monitorCodeOf(settings, 'fixedfloat', code),
});

/** A code names one asset of a feed. Null where this one may have what `wanted` says. */
function codeProblem(settings: Settings, code: AssetId, wanted: ReturnType<typeof assetRow>): string | null {
	for (const monitor of ['bestchange', 'fixedfloat'] as const) {
		const own = { ...settings.monitorCodes[monitor], [code]: wanted[`${monitor}Code`] ?? undefined };
		const named = monitorCodeOf({ monitorCodes: { ...settings.monitorCodes, [monitor]: own } }, monitor, code);
		const other = named === null ? null : assetUnder(settings, monitor, named, code);
		if (other !== null) return `${named} is ${other} in the feed of ${monitor}`;
	}
	return null;
}

const updateAsset: RunOf<typeof topic, 'update'> = async (context, { code, reserve, target, ...switches }) => {
	const asset = assetOf(code);
	const amounts = { reserve: reserve && coinsOf(reserve, asset), target: target && coinsOf(target, asset) };
	const wrong = [reserve, target].find((text) => text && !coinsOf(text, asset));
	if (wrong) return fail(400, `${wrong} is not an amount of ${code}: at most ${asset.decimals} decimals`);
	const settings = await currentSettings(context);
	const { after, changes } = changed(assetRow(settings, code), { ...switches, ...amounts });
	const leans = after.surchargeBps > 0 || after.discountBps > 0;
	if (leans && Number(after.target ?? 0) === 0) return fail(400, `${code} leans by its target: name one with --target`);
	const problem = codeProblem(settings, code, after);
	if (problem) return fail(400, problem);
	const failure = await changeSettings(context, settings, {
		of: { table: 'asset', name: code, named: switches },
		changes,
		write: (condition) =>
			context.db
				.insert(assetSettings)
				.select(
					sql`select ${code}, ${Number(after.active)}, ${after.reserve}, ${after.target}, ${Number(after.beyondReserve)}, ${after.surchargeBps}, ${after.discountBps}, ${after.bestchangeCode}, ${after.fixedfloatCode} where ${condition}`,
				)
				.onConflictDoUpdate({ target: assetSettings.code, set: after }),
	});
	return failure ?? (await assetRecords(context, [asset]))[0];
};

export const assetRuns: RunsOf<typeof topic> = {
	list: (context) => assetRecords(context, allAssets()),
	update: updateAsset,
};

/** A plain decimal; zero is one too. Null for text that is no amount of the asset. */
function coinsOf(text: string, { decimals }: Asset): string | null {
	if (/^0+$/.test(text)) return '0';
	const amount = parseAmount(text, decimals);
	return amount && plain(amount.value);
}

/**
 * `recv`, `send`: are deposits taken and payouts made now, by its own switch and its network's? `balance`: coins that
 * the hot wallet can spend. A figure that is not known now is null.
 */
async function assetRecords(context: Context, assets: readonly Asset[]) {
	const networks = [...new Set(assets.map(({ network }) => network))];
	const [settings, market, ...balances] = await Promise.all([
		currentSettings(context),
		marketOrNull(context.env),
		...networks.map((network) => balancesOn(context, network)),
	]);
	const balanceOf: Partial<Record<AssetId, bigint>> = Object.assign({}, ...balances);
	return assets.map((asset) => {
		const { code, decimals } = asset;
		const coins = (units: bigint | string | undefined) =>
			units === undefined ? null : fromBaseUnits(BigInt(units), decimals);
		return {
			code,
			coin: asset.coin,
			network: asset.network,
			...assetRow(settings, code),
			...feedCodes(settings, code),
			recv: isReceived(settings, asset),
			send: isSent(settings, asset),
			balance: coins(balanceOf[code]),
			priceUsd: (market && usdPrice(market, asset, context.now)?.toString()) ?? null,
			...leanFields(market, asset, context.now),
			networkFee: coins(market ? networkReport(market, asset.network, context.now)?.fees[code] : undefined),
		};
	});
}

async function balancesOn({ env }: Context, network: NetworkName): Promise<Partial<Record<AssetId, bigint>>> {
	if (!networkMode(env, network)) return {};
	try {
		return await objectNamed(env, env.CHAIN_AGENT, network).balances(network);
	} catch (error) {
		logError('balances_not_read', error, { network });
		return {};
	}
}
