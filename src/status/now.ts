/** Do the networks and the prices work, by the market snapshot? Pure. */
import { type AssetId, allAssets } from '../catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName } from '../catalog/networks.ts';
import { isSent, networkSettings, type Settings } from '../catalog/settings.ts';
import type { ServiceStatus, SubjectNow } from '../ports/desk.ts';
import { freeReserve } from '../pricing/limits.ts';
import { isPriced, isWatched, type Market, networkReport } from '../pricing/market.ts';
import { PRICES } from './status.ts';

export function statusOf(market: Market, now: number): ServiceStatus {
	const assets = offeredAssets(market.settings);
	const networks = NETWORK_NAMES.filter((name) => assets.some(({ network }) => network === name));
	return {
		at: now,
		maintenance: market.settings.maintenance,
		soldOut: soldOut(market, now),
		subjects: [pricesNow(market, now), ...networks.map((name) => networkNow(market, name, now))],
	};
}

/** Those that the deployment can move and the operator has not switched off one by one. */
const offeredAssets = ({ offered, inactiveAssets }: Settings) =>
	allAssets().filter(({ code }) => offered.includes(code) && !inactiveAssets.includes(code));

function soldOut(market: Market, now: number): AssetId[] {
	const { settings } = market;
	return offeredAssets(settings)
		.filter((asset) => isSent(settings, asset) && !settings.beyondReserve.includes(asset.code))
		.filter((asset) => freeReserve(market, asset, now) === 0n)
		.map(({ code }) => code);
}

function pricesNow(market: Market, now: number): SubjectNow {
	const unpriced = offeredAssets(market.settings).filter((asset) => !isPriced(market, asset, now));
	const missing = [...new Set(unpriced.map(({ coin }) => coin))];
	return { subject: PRICES, state: missing.length > 0 ? 'stale' : 'ok', lastAt: null, missing };
}

/** A network that the operator paused is not shown as working, and not as silent either. */
function networkNow(market: Market, name: NetworkName, now: number): SubjectNow {
	const { send, receive } = networkSettings(market.settings, name);
	const answers = networkReport(market, name, now) !== null;
	const unseen = offeredAssets(market.settings).filter(
		(asset) => asset.network === name && answers && !isWatched(market, asset, now),
	);
	const shared = { subject: name, lastAt: market.networks[name]?.at ?? null, missing: unseen.map(({ code }) => code) };
	if (!send && !receive) return { ...shared, state: 'paused' };
	if (!answers || unseen.length > 0) return { ...shared, state: 'silent' };
	if (!receive) return { ...shared, state: 'deposits-paused' };
	return { ...shared, state: send ? 'ok' : 'payouts-paused' };
}
