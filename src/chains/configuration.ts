/**
 * Reads from a Worker's environment what each network runs on: its nodes if `NODE_URL_<NETWORK>` is set, else the
 * sandbox if `SANDBOX` is `on`, else nothing.
 *
 * Worlds do not mix. As soon as one network runs on nodes of a main chain, the deployment handles real coins. Then it
 * has no sandbox, its networks on test chains are off, and prices are the public ones. Sandbox and test chains may be
 * mixed, because the coins of both are worth nothing. The agents Worker and the signer each read their own environment, so
 * neither has to trust the other. The API Worker has no nodes: the agents Worker tells it (`told.ts`).
 */
import { type AssetId, allAssets } from '../catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName, networkNamed } from '../catalog/networks.ts';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { type NodeHeaders, nodeHeaders, requireNodeUrls, splitDialect } from './node-urls.ts';

/** The API Worker and the signer have these, because they ask for prices. */
export interface PriceVariables {
	/** `public`: prices come from the real sources although the sandbox is on. */
	readonly PRICES?: string;
	/** JSON object, source name → base URL, for price sources that are queried at another address than their own. */
	readonly PRICE_SOURCE_URLS?: string;
}

export type ChainConfiguration = PriceVariables & {
	/**
	 * `on`: networks without a node run on embedded ledgers, and prices come from the sandbox's table. Ignored in the
	 * main world.
	 */
	readonly SANDBOX?: string;
	/**
	 * Secret, for the signer only: URL of the monero-wallet-rpc with the view-only wallet, credentials included; or
	 * `container`.
	 */
	readonly MONERO_WALLET_URL?: string;
	/**
	 * Secret, for the signer only: URL of the `--offline` monero-wallet-rpc with the spend key, credentials included; or
	 * `container`.
	 */
	readonly MONERO_COLD_WALLET_URL?: string;
	/** For the signer: the block that its first deposit cannot be older than. Default 0: all are read. */
	readonly MONERO_RESTORE_HEIGHT?: string;
} & {
	/**
	 * Secret: one or more node URLs separated by spaces, the preferred first, credentials included. A node of the UTXO
	 * family may have its dialect in front: `esplora+https://…`, `blockbook+https://…`.
	 */
	readonly [key in `NODE_URL_${Uppercase<NetworkName>}`]?: string;
} & {
	/** `main` (default), or `regtest`: a test chain of the operator's own. */
	readonly [key in `NODE_CHAIN_${Uppercase<NetworkName>}`]?: string;
} & {
	/** Seconds between two polls, a whole number. Default: the network's `pollSeconds`; two on the sandbox. */
	readonly [key in `NODE_POLL_SECONDS_${Uppercase<NetworkName>}`]?: string;
} & {
	/** The same while nothing is open on the network. Default: a minute. */
	readonly [key in `NODE_IDLE_POLL_SECONDS_${Uppercase<NetworkName>}`]?: string;
} & {
	/** Secret: headers of every call to the network's nodes, as `node-urls.ts` reads them. */
	readonly [key in `NODE_HEADERS_${Uppercase<NetworkName>}`]?: string;
};

export type NodeChain = 'main' | 'regtest';

/** `main`: the deployment handles real coins. `test`: its coins are worth nothing. */
export type World = 'main' | 'test';

/** The nodes of one network. */
export interface NodeConfig {
	/** One or more URLs, the preferred first, credentials included. */
	readonly urls: readonly string[];
	readonly chain: NodeChain;
	/** Sent with each call; absent where there are none. */
	readonly headers?: NodeHeaders;
}

/** Seconds from poll to poll; `idleSeconds`, never fewer, while nothing is open on the network. */
interface Pace {
	readonly pollSeconds: number;
	readonly idleSeconds: number;
}

export type NetworkMode = Pace & (({ readonly on: 'nodes' } & NodeConfig) | { readonly on: 'sandbox' });

/** A deposit on the sandbox wakes its agent. This pace is for what only time changes, such as windows that close. */
const SANDBOX_POLL_SECONDS = 2;
const MAX_POLL_SECONDS = 9_999;
const IDLE_POLL_SECONDS = 60;
/** A network that is silent for three minutes takes no orders (`pricing/market.ts`): one poll may fail before that. */
const MAX_IDLE_POLL_SECONDS = 90;

const suffixOf = (name: NetworkName) => name.toUpperCase() as Uppercase<NetworkName>;

const urlsOf = (configuration: ChainConfiguration, name: NetworkName): string[] =>
	(configuration[`NODE_URL_${suffixOf(name)}`] ?? '').split(/\s+/).filter(Boolean);

/** An invalid chain name counts as `main` here: the world that allows less. */
const isOnMainChain = (configuration: ChainConfiguration, name: NetworkName): boolean =>
	urlsOf(configuration, name).length > 0 && configuration[`NODE_CHAIN_${suffixOf(name)}`] !== 'regtest';

/** `main` as soon as one network is on nodes of a main chain. */
export const worldOf = (configuration: ChainConfiguration): World =>
	NETWORK_NAMES.some((name) => isOnMainChain(configuration, name)) ? 'main' : 'test';

/** Is there a sandbox? Never in the main world, whatever `SANDBOX` says. */
export const hasSandbox = (configuration: ChainConfiguration): boolean =>
	configuration.SANDBOX === 'on' && worldOf(configuration) === 'test';

/** How many strangers a day may come to the public sandbox; 0 where there is none. */
export const sandboxVisitors = (configuration: ChainConfiguration & { readonly SANDBOX_VISITORS?: string }): number =>
	hasSandbox(configuration) && !isOnNodes(configuration) ? Number(configuration.SANDBOX_VISITORS ?? 0) : 0;

/** Do prices come from the sandbox's own table? Never in the main world, whatever `PRICES` says. */
export const usesSandboxPrices = (configuration: ChainConfiguration): boolean =>
	hasSandbox(configuration) && configuration.PRICES !== 'public';

/**
 * Null for a network that this deployment does not run: it is not configured, or it belongs to the other world. @throws
 * ConfigurationError that names the variable: a misconfigured network does not run at all
 */
export function networkMode(configuration: ChainConfiguration, name: NetworkName): NetworkMode | null {
	const suffix = suffixOf(name);
	const urls = urlsOf(configuration, name);
	if (urls.length === 0)
		return hasSandbox(configuration) ? { on: 'sandbox', ...paceOf(configuration, name, SANDBOX_POLL_SECONDS) } : null;
	const chain = chainOf(configuration, name);
	const { family, pollSeconds: usual } = networkNamed(name);
	const pace = paceOf(configuration, name, usual);
	const plain = family === 'utxo' ? urls.map((text) => splitDialect(text).url) : urls;
	requireNodeUrls(`NODE_URL_${suffix}`, plain, chain);
	for (const variable of name === 'Monero' ? MONERO_URLS : []) {
		const url = configuration[variable]?.trim();
		if (url && url !== IN_CONTAINER) requireNodeUrls(variable, [url], chain);
	}
	const written = configuration[`NODE_HEADERS_${suffix}`]?.trim();
	const headers = written ? nodeHeaders(`NODE_HEADERS_${suffix}`, written) : null;
	if (chain === 'regtest' && worldOf(configuration) === 'main') return null;
	return { on: 'nodes', urls, chain, ...pace, ...(headers && { headers }) };
}

/** The chain that its nodes are to be on. @throws ConfigurationError */
export function chainOf(configuration: ChainConfiguration, name: NetworkName): NodeChain {
	const variable = `NODE_CHAIN_${suffixOf(name)}` as const;
	const chain = configuration[variable] || 'main';
	if (chain !== 'main' && chain !== 'regtest') throw new ConfigurationError(`${variable} is neither main nor regtest`);
	return chain;
}

/** @throws ConfigurationError */
function paceOf(configuration: ChainConfiguration, name: NetworkName, usual: number): Pace {
	const pollSeconds = secondsOf(configuration, `NODE_POLL_SECONDS_${suffixOf(name)}`, MAX_POLL_SECONDS) ?? usual;
	const idle = secondsOf(configuration, `NODE_IDLE_POLL_SECONDS_${suffixOf(name)}`, MAX_IDLE_POLL_SECONDS);
	return { pollSeconds, idleSeconds: Math.max(pollSeconds, idle ?? IDLE_POLL_SECONDS) };
}

/** Null where the variable is not set. @throws ConfigurationError */
function secondsOf(configuration: ChainConfiguration, variable: keyof ChainConfiguration, most: number): number | null {
	const seconds = configuration[variable];
	if (!seconds) return null;
	if (!/^[1-9]\d{0,3}$/.test(seconds) || Number(seconds) > most)
		throw new ConfigurationError(`${variable} is no whole number of seconds between 1 and ${most}`);
	return Number(seconds);
}

/** A wallet of Monero that is not at a URL: it runs in a container of the wallets Worker. */
export const IN_CONTAINER = 'container';

const MONERO_URLS = ['MONERO_WALLET_URL', 'MONERO_COLD_WALLET_URL'] as const;

/** `networkMode`, and what is wrong with the network's variables as a value. */
export function networkModeOrProblem(
	configuration: ChainConfiguration,
	name: NetworkName,
): { readonly mode: NetworkMode | null } | { readonly problem: string } {
	try {
		return { mode: networkMode(configuration, name) };
	} catch (error) {
		if (error instanceof ConfigurationError) return { problem: error.message };
		throw error;
	}
}

/** Networks that are configured but do not run, because real coins are handled. One line each, with what to do. */
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

/** Does any network run on nodes, where real coins may be at stake? Does not validate their configuration. */
export const isOnNodes = (configuration: ChainConfiguration): boolean =>
	NETWORK_NAMES.some((name) => urlsOf(configuration, name).length > 0);

/** Networks that this deployment serves. A misconfigured one stops alone; the log and `doctor` name its variable. */
export const offeredNetworks = (configuration: ChainConfiguration): NetworkName[] =>
	NETWORK_NAMES.filter((name) => {
		const found = networkModeOrProblem(configuration, name);
		return 'mode' in found && found.mode !== null;
	});

/** Assets that this deployment can move. */
export function offeredAssets(configuration: ChainConfiguration): AssetId[] {
	const offered = new Set(offeredNetworks(configuration));
	return allAssets()
		.filter(({ network }) => offered.has(network))
		.map(({ code }) => code);
}
