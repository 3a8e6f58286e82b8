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
const texts = new WeakMap<Settings, Map<(settings: Settings) => unknown, string>>();

/** `list`: the `data` of an answer, as JSON text. */
const asText =
	(list: (settings: Settings) => unknown) =>
	(settings: Settings): string => {
		const known = texts.get(settings) ?? new Map<typeof list, string>();
		texts.set(settings, known);
		const text = known.get(list) ?? JSON.stringify(list(settings));
		known.set(list, text);
		return text;
	};

export const currenciesText = asText((settings) => receivedAssets(settings).map(currencyView(settings)));

/** The same with the chain of each. */
export const currenciesWithChainText = asText((settings) => receivedAssets(settings).map(currencyWithChain(settings)));

export const assetsText = asText((settings) =>
	allAssets()
		.filter((asset) => isReceived(settings, asset) || isSent(settings, asset))
		.map(assetView(settings)),
);

export const pairsText = asText((settings) => activePairs(settings).map(pairView));
