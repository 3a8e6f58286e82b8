/** Where Monero's programs are, read from a Worker's environment . */
import type { ChainConfiguration, NodeChain, NodeConfig } from '../configuration.ts';

export interface MoneroNodeConfig {
	/**
	 * monero-wallet-rpc with the view-only wallet; credentials inside. One for both Workers: what the signer has frozen and
	 * what the API Worker has submitted is known there alone.
	 */
	readonly walletUrl: string;
	/** The monerod that this wallet uses. */
	readonly daemonUrl: string;
	readonly chain: NodeChain;
}

export interface MoneroSigningNodeConfig extends MoneroNodeConfig {
	/** The `--offline` monero-wallet-rpc with the spending key; credentials inside. */
	readonly coldWalletUrl: string;
}

/** @throws TypeError where one is missing, or where there is more than one wallet: each would know other things. */
export function moneroNode({ urls, chain }: NodeConfig, configuration: ChainConfiguration): MoneroNodeConfig {
	const [walletUrl = '', ...others] = urls;
	if (others.length > 0) throw new TypeError('NODE_URL_MONERO names more than one wallet');
	if (!configuration.MONERO_DAEMON_URL)
		throw new TypeError('MONERO_DAEMON_URL is not set; Monero needs it beside the wallet');
	return { walletUrl, daemonUrl: configuration.MONERO_DAEMON_URL, chain };
}

/** @throws TypeError where one is missing. */
export function moneroSigningNode(mode: NodeConfig, configuration: ChainConfiguration): MoneroSigningNodeConfig {
	if (!configuration.MONERO_COLD_WALLET_URL)
		throw new TypeError('MONERO_COLD_WALLET_URL is not set; the signer needs it');
	return { ...moneroNode(mode, configuration), coldWalletUrl: configuration.MONERO_COLD_WALLET_URL };
}
