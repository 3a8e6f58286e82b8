/** Where Monero's programs are, read from a Worker's environment. */
import { ConfigurationError } from '../../crypto/key-ring.ts';
import { IN_CONTAINER, type NodeConfig } from '../configuration.ts';
import type { SigningMeans } from '../signing-port.ts';
import type { Send } from './node.ts';
import { CONTAINER_URL, throughContainer, type WalletContainer } from './wallet-container.ts';

/** Monerods, and the signer's two wallets. */
export interface MoneroSigningNodeConfig extends NodeConfig {
	/** monero-wallet-rpc with the view-only wallet. */
	readonly walletUrl: string;
	/** The `--offline` monero-wallet-rpc with the spending key. */
	readonly coldWalletUrl: string;
	/** To a wallet that is in a container; absent where it is asked at its URL. */
	readonly sendToWallet?: Send;
	readonly sendToColdWallet?: Send;
	/** The block from which a wallet that is made again reads the chain. */
	readonly restoreHeight: number;
}

/** @throws ConfigurationError where a URL or a container is missing. */
export function moneroSigningNode(node: NodeConfig, means: SigningMeans): MoneroSigningNodeConfig {
	const { MONERO_WALLET_URL: wallet, MONERO_COLD_WALLET_URL: cold, MONERO_RESTORE_HEIGHT: height = '0' } = means;
	if (!wallet || !cold)
		throw new ConfigurationError('MONERO_WALLET_URL or MONERO_COLD_WALLET_URL is not set; the signer needs both');
	if (!/^\d{1,9}$/.test(height)) throw new ConfigurationError('MONERO_RESTORE_HEIGHT is no block height');
	const { urls, headers } = node;
	const containers = means.walletContainers?.();
	const sendToWallet =
		isInContainer(wallet) && throughContainer(bound(containers?.wallet), { urls, ...(headers && { headers }) });
	const sendToColdWallet = isInContainer(cold) && throughContainer(bound(containers?.cold));
	return {
		...node,
		walletUrl: sendToWallet ? CONTAINER_URL : wallet.trim(),
		coldWalletUrl: sendToColdWallet ? CONTAINER_URL : cold.trim(),
		...(sendToWallet && { sendToWallet }),
		...(sendToColdWallet && { sendToColdWallet }),
		restoreHeight: Number(height),
	};
}

const isInContainer = (url: string): boolean => url.trim() === IN_CONTAINER;

function bound(container: WalletContainer | undefined): WalletContainer {
	if (container) return container;
	throw new ConfigurationError(
		'a wallet is to be in a container, and the signer was deployed without its bindings to the wallets Worker',
	);
}
