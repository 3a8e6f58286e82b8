/** Where Monero's programs are, read from a Worker's environment. */
import { ConfigurationError } from '../../crypto/key-ring.ts';
import type { ChainConfiguration, NodeChain, NodeConfig } from '../configuration.ts';
import type { NodeHeaders } from '../node-urls.ts';

export interface MoneroNodeConfig {
	/** One or more monerods, the preferred first; the URLs contain credentials. */
	readonly daemonUrls: readonly string[];
	readonly chain: NodeChain;
	/** Sent with each call to these programs; absent where there are none. */
	readonly headers?: NodeHeaders;
}

/** The signer's two wallets; the URLs contain credentials. */
export interface MoneroSigningNodeConfig extends MoneroNodeConfig {
	/** monero-wallet-rpc with the view-only wallet. */
	readonly walletUrl: string;
	/** The `--offline` monero-wallet-rpc with the spending key. */
	readonly coldWalletUrl: string;
	/** The block from which a wallet that is made again reads the chain. */
	readonly restoreHeight: number;
}

export const moneroNode = ({ urls, chain, headers }: NodeConfig): MoneroNodeConfig => ({
	daemonUrls: urls,
	chain,
	...(headers && { headers }),
});

/** @throws ConfigurationError where a URL is missing. */
export function moneroSigningNode(node: NodeConfig, configuration: ChainConfiguration): MoneroSigningNodeConfig {
	const {
		MONERO_WALLET_URL: wallet,
		MONERO_COLD_WALLET_URL: cold,
		MONERO_RESTORE_HEIGHT: height = '0',
	} = configuration;
	if (!wallet || !cold)
		throw new ConfigurationError('MONERO_WALLET_URL or MONERO_COLD_WALLET_URL is not set; the signer needs both');
	if (!/^\d{1,9}$/.test(height)) throw new ConfigurationError('MONERO_RESTORE_HEIGHT is no block height');
	const urls = { walletUrl: wallet.trim(), coldWalletUrl: cold.trim() };
	return { ...moneroNode(node), ...urls, restoreHeight: Number(height) };
}
