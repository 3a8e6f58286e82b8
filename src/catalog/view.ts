/** `currencies` and `pairs`: the catalog as partners see it (book: contract, "Currency", "Pair"). */
import type { Asset } from './assets.ts';
import { activePairs, isSent, receivedAssets, type Settings } from './settings.ts';

const currencyView = (settings: Settings) => (asset: Asset) => ({
	code: asset.code,
	coin: asset.coin,
	network: asset.network,
	name: asset.name,
	recv: true,
	send: isSent(settings, asset),
	tag: null,
	logo: null,
	color: null,
	minAmount: null,
	maxAmount: null,
	precision: asset.precision,
});

const pairView = ([from, to]: [Asset, Asset]) => ({
	from: from.code,
	to: to.code,
	fromNetwork: from.network,
	toNetwork: to.network,
	rateTypes: ['FLOAT'],
});

/**
 * The serialised lists, cached per settings object. Each market snapshot has its own settings object and is used for at
 * most 30 s, so the cache keeps the contract's 30-second promise.
 */
const texts = new WeakMap<Settings, { currencies?: string; pairs?: string }>();

const textsOf = (settings: Settings) => {
	const known = texts.get(settings) ?? {};
	texts.set(settings, known);
	return known;
};

/** `data` of `currencies`, as JSON text. */
export function currenciesText(settings: Settings): string {
	const known = textsOf(settings);
	known.currencies ??= JSON.stringify(receivedAssets(settings).map(currencyView(settings)));
	return known.currencies;
}

/** `data` of `pairs`, as JSON text. */
export function pairsText(settings: Settings): string {
	const known = textsOf(settings);
	known.pairs ??= JSON.stringify(activePairs(settings).map(pairView));
	return known.pairs;
}
