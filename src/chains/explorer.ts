/** The explorer's page of a transaction, and where a person sees what an address was paid. Pure. */
import { NETWORK_NAMES, type NetworkName, networkNamed } from '../catalog/networks.ts';
import { type ChainConfiguration, networkMode } from './configuration.ts';

/** Null on the sandbox and on test chains, which no explorer shows, and while there is no transaction id. */
export function explorerOf(
	configuration: ChainConfiguration,
	{ network, txId }: { readonly network: NetworkName; readonly txId: string | null },
): string | null {
	if (txId === null) return null;
	const mode = networkMode(configuration, network);
	const isPublic = mode?.on === 'nodes' && mode.chain === 'main';
	return isPublic ? networkNamed(network).explorer.replace('{}', encodeURIComponent(txId)) : null;
}

/** By network, the page of a transaction with `{}` for its id; a network without a page is left out. */
export const explorersOf = (configuration: ChainConfiguration): Record<string, string> =>
	Object.fromEntries(
		NETWORK_NAMES.flatMap((network) => {
			const page = explorerOf(configuration, { network, txId: 'TXID' });
			return page === null ? [] : [[network, page.replace('TXID', '{}')]];
		}),
	);

/**
 * How a person finds out whether we have paid an address. Monero hides recipients from everybody but the wallet that paid
 * (book: years, "Backup").
 */
export function whereToLook(network: NetworkName, address: string): string {
	const { family, explorer } = networkNamed(network);
	if (family !== 'monero') return `look at ${address} in an explorer (${new URL(explorer).host})`;
	return `ask the view-only wallet for get_transfers with out, the cold wallet for get_tx_key of each, and check_tx_key with ${address}`;
}
