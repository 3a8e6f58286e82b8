/**
 * Which network runs on what, read from a Worker's environment: on its nodes where `NODE_URL_<NETWORK>` is set, else
 * on the sandbox where `SANDBOX` is `on`, else not at all. The two can be mixed (operator.md "The sandbox").
 */
import { type AssetId, allAssets } from '../catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName, networkNamed } from '../catalog/networks.ts';

export type ChainConfiguration = {
	/** `on`: networks without a node run on embedded ledgers, and prices come from the sandbox's table. */
	readonly SANDBOX?: string;
	/** `public` asks real price sources even where the sandbox is on. */
	readonly PRICES?: string;
	/** JSON object, source name → base URL, where a source is to be asked elsewhere than at its own address. */
	readonly PRICE_SOURCE_URLS?: string;
	/** Secret: the monerod of the view-only wallet at `NODE_URL_MONERO`, credentials inside. */
	readonly MONERO_DAEMON_URL?: string;
	/** Secret of the signer alone: the `--offline` monero-wallet-rpc with the spending key, credentials inside. */
	readonly MONERO_COLD_WALLET_URL?: string;
} & {
	/** Secret: one or more node URLs separated by spaces, the preferred first, credentials inside. */
	readonly [key in `NODE_URL_${Uppercase<NetworkName>}`]?: string;
} & {
	/** `main` (default) or `regtest`. */
	readonly [key in `NODE_CHAIN_${Uppercase<NetworkName>}`]?: string;
} & {
	/** How often the agent looks at the network's nodes, whole seconds, where that is not the network's own pace. */
	readonly [key in `NODE_POLL_SECONDS_${Uppercase<NetworkName>}`]?: string;
};

export type NetworkMode =
	| {
			readonly on: 'nodes';
			readonly urls: readonly string[];
			readonly chain: 'main' | 'regtest';
			readonly pollSeconds: number;
	  }
	| { readonly on: 'sandbox' };

/** @throws TypeError on a chain name that is neither, or a pace that is none: a misconfigured network must not run half. */
export function networkMode(configuration: ChainConfiguration, name: NetworkName): NetworkMode | null {
	const suffix = name.toUpperCase() as Uppercase<NetworkName>;
	const urls = (configuration[`NODE_URL_${suffix}`] ?? '').split(/\s+/).filter(Boolean);
	if (urls.length > 0) {
		const chain = configuration[`NODE_CHAIN_${suffix}`] ?? 'main';
		if (chain !== 'main' && chain !== 'regtest')
			throw new TypeError(`NODE_CHAIN_${suffix} is neither main nor regtest`);
		const poll = configuration[`NODE_POLL_SECONDS_${suffix}`];
		if (poll !== undefined && !/^[1-9]\d{0,3}$/.test(poll))
			throw new TypeError(`NODE_POLL_SECONDS_${suffix} is no whole number of seconds between 1 and 9999`);
		return { on: 'nodes', urls, chain, pollSeconds: poll ? Number(poll) : networkNamed(name).pollSeconds };
	}
	return configuration.SANDBOX === 'on' ? { on: 'sandbox' } : null;
}

/** Does any network run on nodes, where coins may be at stake? Asked without judging how they are configured. */
export const isOnNodes = (configuration: ChainConfiguration): boolean =>
	NETWORK_NAMES.some((name) => {
		const suffix = name.toUpperCase() as Uppercase<NetworkName>;
		return (configuration[`NODE_URL_${suffix}`] ?? '').trim() !== '';
	});

/** Networks that this deployment serves. @throws TypeError where one of them is misconfigured. */
export const offeredNetworks = (configuration: ChainConfiguration): NetworkName[] =>
	NETWORK_NAMES.filter((name) => networkMode(configuration, name) !== null);

/** Assets that this deployment can move. @throws TypeError where a network is misconfigured. */
export function offeredAssets(configuration: ChainConfiguration): AssetId[] {
	const offered = new Set(offeredNetworks(configuration));
	return allAssets()
		.filter(({ network }) => offered.has(network))
		.map(({ code }) => code);
}
