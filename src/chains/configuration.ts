/**
 * Which network runs on what, read from a Worker's environment: on its nodes where `NODE_URL_<NETWORK>` is set, else
 * on the sandbox where `SANDBOX` is `on`, else not at all.
 *
 * Worlds do not mix. As soon as one network is on nodes of a main chain, the deployment deals in real coins: then it has
 * no sandbox, its networks on test chains are off, and prices are the public ones. Sandbox and test chains may be mixed:
 * nothing in either is worth anything. Each Worker reads its own environment, so that neither can be talked out of it.
 */
import { type AssetId, allAssets } from '../catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName, networkNamed } from '../catalog/networks.ts';

export type ChainConfiguration = {
	/**
	 * `on`: networks without a node run on embedded ledgers, and prices come from the sandbox's table. Not in the main
	 * world.
	 */
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
	/** `main` (default), or `regtest`: a test chain of the operator's own. */
	readonly [key in `NODE_CHAIN_${Uppercase<NetworkName>}`]?: string;
} & {
	/** How often the agent looks at the network's nodes, whole seconds, where that is not the network's own pace. */
	readonly [key in `NODE_POLL_SECONDS_${Uppercase<NetworkName>}`]?: string;
};

export type NodeChain = 'main' | 'regtest';

/** What a deployment's coins are worth: something, or nothing. */
export type World = 'main' | 'test';

/** The nodes of one network. */
export interface NodeConfig {
	/** One or more URLs, the preferred first; credentials inside. */
	readonly urls: readonly string[];
	readonly chain: NodeChain;
}

export type NetworkMode =
	| ({ readonly on: 'nodes'; readonly pollSeconds: number } & NodeConfig)
	| { readonly on: 'sandbox' };

const suffixOf = (name: NetworkName) => name.toUpperCase() as Uppercase<NetworkName>;

const urlsOf = (configuration: ChainConfiguration, name: NetworkName): string[] =>
	(configuration[`NODE_URL_${suffixOf(name)}`] ?? '').split(/\s+/).filter(Boolean);

/** A chain name that is none counts as `main` here: of two worlds, the one in which less may be done. */
const isOnMainChain = (configuration: ChainConfiguration, name: NetworkName): boolean =>
	urlsOf(configuration, name).length > 0 && configuration[`NODE_CHAIN_${suffixOf(name)}`] !== 'regtest';

/** `main` as soon as one network is on nodes of a main chain. */
export const worldOf = (configuration: ChainConfiguration): World =>
	NETWORK_NAMES.some((name) => isOnMainChain(configuration, name)) ? 'main' : 'test';

/** Is there a sandbox? Beside a main chain there is none, whatever `SANDBOX` says. */
export const hasSandbox = (configuration: ChainConfiguration): boolean =>
	configuration.SANDBOX === 'on' && worldOf(configuration) === 'test';

/** Do prices come from the sandbox's own table? Beside a main chain never, whatever `PRICES` says. */
export const usesSandboxPrices = (configuration: ChainConfiguration): boolean =>
	hasSandbox(configuration) && configuration.PRICES !== 'public';

/**
 * Null for a network that this deployment does not run: nothing is configured for it, or it belongs to another world.
 * @throws TypeError on a chain name that is neither, or a pace that is none: a misconfigured network must not run half.
 */
export function networkMode(configuration: ChainConfiguration, name: NetworkName): NetworkMode | null {
	const suffix = suffixOf(name);
	const urls = urlsOf(configuration, name);
	if (urls.length === 0) return hasSandbox(configuration) ? { on: 'sandbox' } : null;
	const chain = configuration[`NODE_CHAIN_${suffix}`] ?? 'main';
	if (chain !== 'main' && chain !== 'regtest') throw new TypeError(`NODE_CHAIN_${suffix} is neither main nor regtest`);
	const poll = configuration[`NODE_POLL_SECONDS_${suffix}`];
	if (poll !== undefined && !/^[1-9]\d{0,3}$/.test(poll))
		throw new TypeError(`NODE_POLL_SECONDS_${suffix} is no whole number of seconds between 1 and 9999`);
	if (chain === 'regtest' && worldOf(configuration) === 'main') return null;
	return { on: 'nodes', urls, chain, pollSeconds: poll ? Number(poll) : networkNamed(name).pollSeconds };
}

/** What is configured and is not run, because the deployment deals in real coins; one line each, with what to do. */
export function worldConflicts(configuration: ChainConfiguration): string[] {
	const main = NETWORK_NAMES.filter((name) => isOnMainChain(configuration, name));
	if (main.length === 0) return [];
	const beside = `${main.join(', ')} ${main.length === 1 ? 'is' : 'are'} on nodes of a main chain`;
	const testing = NETWORK_NAMES.filter(
		(name) => urlsOf(configuration, name).length > 0 && !isOnMainChain(configuration, name),
	);
	return [
		...(configuration.SANDBOX === 'on' ? [`there is no sandbox while ${beside}: unset SANDBOX`] : []),
		...testing.map((name) => `${name} is on a test chain while ${beside}: unset NODE_URL_${suffixOf(name)}`),
	];
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
