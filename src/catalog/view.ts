/** `currencies` and `pairs`: the catalog as partners see it (book: contract, "Currency", "Pair"). */
import { type Asset, allAssets } from './assets.ts';
import { chainIdOf, chainNameOf } from './chain-names.ts';
import { raisedBlocks, usualConfirmations } from './confirmations.ts';
import { networkNamed } from './networks.ts';
import { paymentTemplate } from './payment-link.ts';
import { activePairs, isReceived, isSent, networkSettings, receivedAssets, type Settings } from './settings.ts';

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

/** Confirmations are those of a small deposit: a larger one may need more. */
const assetView = (settings: Settings) => (asset: Asset) => {
	const { code, coin, network, name, decimals, precision } = asset;
	const { blockSeconds, explorer } = networkNamed(network);
	const { blocks, tagSeconds = 0 } = usualConfirmations(network, 0);
	const confirmations = Math.max(blocks, raisedBlocks(networkSettings(settings, network), 0));
	return {
		code,
		asset: chainNameOf(asset),
		coin,
		network,
		name,
		recv: isReceived(settings, asset),
		send: isSent(settings, asset),
		chainId: chainIdOf(asset),
		contract: asset.contract ?? null,
		decimals,
		precision,
		confirmations,
		// Up, at least 1.
		minutes: Math.max(1, Math.ceil(Math.max(confirmations * blockSeconds, tagSeconds) / 60)),
		explorer: explorer.replace('{}', '{tx}'),
		payment: paymentTemplate(asset),
		logo: null,
	};
};

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
const texts = new WeakMap<Settings, { currencies?: string; withChain?: string; assets?: string; pairs?: string }>();

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

/** `data` of `assets`, as JSON text. */
export function assetsText(settings: Settings): string {
	const known = textsOf(settings);
	const offered = allAssets().filter((asset) => isReceived(settings, asset) || isSent(settings, asset));
	known.assets ??= JSON.stringify(offered.map(assetView(settings)));
	return known.assets;
}

/** `data` of `pairs`, as JSON text. */
export function pairsText(settings: Settings): string {
	const known = textsOf(settings);
	known.pairs ??= JSON.stringify(activePairs(settings).map(pairView));
	return known.pairs;
}
