/**
 * Which network runs on what, read from a Worker's environment: on its nodes where `NODE_URL_<NETWORK>` is set, else
 * on the sandbox where `SANDBOX` is `on`, else not at all. The two can be mixed (operator.md "The sandbox").
 */
import { NETWORK_NAMES, type NetworkName } from '../catalog/networks.ts';

export type ChainConfiguration = {
	/** `on`: networks without a node run on embedded ledgers, and prices come from the sandbox's table. */
	readonly SANDBOX?: string;
	/** `public` asks real price sources even where the sandbox is on. */
	readonly PRICES?: string;
	/** JSON object, source name → base URL, where a source is to be asked elsewhere than at its own address. */
	readonly PRICE_SOURCE_URLS?: string;
} & {
	/** Secret: one or more node URLs separated by spaces, the preferred first, credentials inside. */
	readonly [key in `NODE_URL_${Uppercase<NetworkName>}`]?: string;
} & {
	/** `main` (default) or `regtest`. */
	readonly [key in `NODE_CHAIN_${Uppercase<NetworkName>}`]?: string;
};

export type NetworkMode =
	| { readonly on: 'nodes'; readonly urls: readonly string[]; readonly chain: 'main' | 'regtest' }
	| { readonly on: 'sandbox' };

/** @throws TypeError on a chain name that is neither; a misconfigured network must not run half. */
export function networkMode(configuration: ChainConfiguration, name: NetworkName): NetworkMode | null {
	const suffix = name.toUpperCase() as Uppercase<NetworkName>;
	const urls = (configuration[`NODE_URL_${suffix}`] ?? '').split(/\s+/).filter(Boolean);
	if (urls.length > 0) {
		const chain = configuration[`NODE_CHAIN_${suffix}`] ?? 'main';
		if (chain !== 'main' && chain !== 'regtest')
			throw new TypeError(`NODE_CHAIN_${suffix} is neither main nor regtest`);
		return { on: 'nodes', urls, chain };
	}
	return configuration.SANDBOX === 'on' ? { on: 'sandbox' } : null;
}

/** Networks that this deployment serves. */
export const offeredNetworks = (configuration: ChainConfiguration): NetworkName[] =>
	NETWORK_NAMES.filter((name) => networkMode(configuration, name) !== null);
