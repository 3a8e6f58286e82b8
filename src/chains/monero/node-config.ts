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
}

export const moneroNode = ({ urls, chain, headers }: NodeConfig): MoneroNodeConfig => ({
	daemonUrls: urls,
	chain,
	...(headers && { headers }),
});

/** @throws ConfigurationError where a URL is missing. */
export function moneroSigningNode(
	node: NodeConfig,
	{ MONERO_WALLET_URL, MONERO_COLD_WALLET_URL }: ChainConfiguration,
): MoneroSigningNodeConfig {
	if (!MONERO_WALLET_URL || !MONERO_COLD_WALLET_URL)
		throw new ConfigurationError('MONERO_WALLET_URL or MONERO_COLD_WALLET_URL is not set; the signer needs both');
	return { ...moneroNode(node), walletUrl: MONERO_WALLET_URL.trim(), coldWalletUrl: MONERO_COLD_WALLET_URL.trim() };
}
