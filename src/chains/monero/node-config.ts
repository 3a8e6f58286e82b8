/** Where Monero's programs are, read from a Worker's environment. */
import { ConfigurationError } from '../../crypto/key-ring.ts';
import type { ChainConfiguration, NodeChain, NodeConfig } from '../configuration.ts';
import type { NodeHeaders } from '../node-urls.ts';

export interface MoneroNodeConfig {
	/**
	 * monero-wallet-rpc with the view-only wallet; the URL contains credentials. Both Workers use the same one: only this
	 * wallet knows what the signer has frozen and what the API Worker has submitted.
	 */
	readonly walletUrl: string;
	/** The monerod that this wallet uses. */
	readonly daemonUrl: string;
	readonly chain: NodeChain;
	/** Sent with each call to these programs; absent where there are none. */
	readonly headers?: NodeHeaders;
}

export interface MoneroSigningNodeConfig extends MoneroNodeConfig {
	/** The `--offline` monero-wallet-rpc with the spending key; the URL contains credentials. */
	readonly coldWalletUrl: string;
}

/**
 * @throws ConfigurationError where a URL is missing, or where there is more than one wallet: each would have a different state.
 */
export function moneroNode({ urls, chain, headers }: NodeConfig, configuration: ChainConfiguration): MoneroNodeConfig {
	const [walletUrl = '', ...others] = urls;
	if (others.length > 0) throw new ConfigurationError('NODE_URL_MONERO names more than one wallet');
	if (!configuration.MONERO_DAEMON_URL)
		throw new ConfigurationError('MONERO_DAEMON_URL is not set; Monero needs it beside the wallet');
	return { walletUrl, daemonUrl: configuration.MONERO_DAEMON_URL.trim(), chain, ...(headers && { headers }) };
}

/** @throws ConfigurationError where a URL is missing. */
export function moneroSigningNode(node: NodeConfig, configuration: ChainConfiguration): MoneroSigningNodeConfig {
	if (!configuration.MONERO_COLD_WALLET_URL)
		throw new ConfigurationError('MONERO_COLD_WALLET_URL is not set; the signer needs it');
	return { ...moneroNode(node, configuration), coldWalletUrl: configuration.MONERO_COLD_WALLET_URL.trim() };
}
