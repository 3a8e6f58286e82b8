/** Where Monero's programs are, read from a Worker's environment (README "Networks on nodes"). */
import type { ChainConfiguration, NetworkMode } from '../configuration.ts';
import type { MoneroChainName } from './daemon.ts';

export interface MoneroNode {
	/**
	 * monero-wallet-rpc with the view-only wallet; credentials inside. One for both Workers: what the signer has frozen and
	 * what the API Worker has submitted is known there alone.
	 */
	readonly walletUrl: string;
	/** The monerod that this wallet uses. */
	readonly daemonUrl: string;
	readonly chain: MoneroChainName;
}

export interface MoneroSigningNode extends MoneroNode {
	/** The `--offline` monero-wallet-rpc with the spending key; credentials inside. */
	readonly coldWalletUrl: string;
}

type OnNodes = Extract<NetworkMode, { on: 'nodes' }>;

/** @throws TypeError where one is missing, or where there is more than one wallet: each would know other things. */
export function moneroNode({ urls, chain }: OnNodes, configuration: ChainConfiguration): MoneroNode {
	const [walletUrl = '', ...others] = urls;
	if (others.length > 0) throw new TypeError('NODE_URL_MONERO names more than one wallet');
	if (!configuration.MONERO_DAEMON_URL)
		throw new TypeError('MONERO_DAEMON_URL is not set; Monero needs it beside the wallet');
	return { walletUrl, daemonUrl: configuration.MONERO_DAEMON_URL, chain };
}

/** @throws TypeError where one is missing. */
export function moneroSigningNode(mode: OnNodes, configuration: ChainConfiguration): MoneroSigningNode {
	if (!configuration.MONERO_COLD_WALLET_URL)
		throw new TypeError('MONERO_COLD_WALLET_URL is not set; the signer needs it');
	return { ...moneroNode(mode, configuration), coldWalletUrl: configuration.MONERO_COLD_WALLET_URL };
}
