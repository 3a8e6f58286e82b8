/** Why a pair is not offered: every reason to refuse a quote or an order of it now. Pure. */
import type { Asset, AssetPair } from '../../catalog/assets.ts';
import { networkSettings, pairSettings, type Settings } from '../../catalog/settings.ts';
import { isPriced, type Market, networkReport } from '../../pricing/market.ts';

/** One line; null for a pair that is offered. `market`: null when the rate book does not answer. */
export function whyNotOffered(
	settings: Settings,
	market: Market | null,
	{ from, to }: AssetPair,
	now: number,
): string | null {
	const reasons = [
		settings.maintenance && 'the site is in maintenance',
		!pairSettings(settings, from.code, to.code).active && 'the pair is off',
		...[from, to].flatMap((asset) => assetReasons(settings, asset)),
		!networkSettings(settings, from.network).receive && `deposits on ${from.network} are off`,
		!networkSettings(settings, to.network).send && `payouts on ${to.network} are off`,
		...(market ? marketReasons(market, from, to, now) : ['the rate book does not answer']),
	].filter((reason) => reason !== false);
	return reasons.length === 0 ? null : [...new Set(reasons)].join('; ');
}

function assetReasons({ offered, inactiveAssets }: Settings, { code, network }: Asset): string[] {
	if (!offered.includes(code)) return [`this deployment does not run ${network}`];
	return inactiveAssets.includes(code) ? [`${code} is off`] : [];
}

function marketReasons(market: Market, from: Asset, to: Asset, now: number): string[] {
	const unpriced = [from, to].filter((asset) => !isPriced(market, asset, now));
	const silent = [from, to].filter(({ network }) => networkReport(market, network, now) === null);
	const isFeeKnown = silent.includes(to) || networkReport(market, to.network, now)?.fees[to.code] !== undefined;
	return [
		...unpriced.map(({ coin }) => `${coin} has no fresh price`),
		...silent.map(({ network }) => `${network} was not scanned lately`),
		...(isFeeKnown ? [] : [`the network fee of ${to.code} is not known`]),
	];
}
