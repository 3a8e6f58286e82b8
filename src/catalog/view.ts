/** `currencies` and `pairs`: the catalog as partners see it (book: contract, "Currency", "Pair"). */
import type { Asset } from './assets.ts';
import { networkNamed } from './networks.ts';
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

/** The facts that a wallet needs to pay in it. */
const currencyWithChain = (settings: Settings) => (asset: Asset) => ({
	...currencyView(settings)(asset),
	chainId: chainIdOf(asset),
	contract: asset.contract ?? null,
});

function chainIdOf({ network }: Asset): number | null {
	const row = networkNamed(network);
	return row.family === 'evm' ? row.params.chainId : null;
}

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
const texts = new WeakMap<Settings, { currencies?: string; withChain?: string; pairs?: string }>();

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

/** The same with the chain of each. */
export function currenciesWithChainText(settings: Settings): string {
	const known = textsOf(settings);
	known.withChain ??= JSON.stringify(receivedAssets(settings).map(currencyWithChain(settings)));
	return known.withChain;
}

/** `data` of `pairs`, as JSON text. */
export function pairsText(settings: Settings): string {
	const known = textsOf(settings);
	known.pairs ??= JSON.stringify(activePairs(settings).map(pairView));
	return known.pairs;
}
