/** The explorer's page of a transaction. Pure. */
import { type NetworkName, networkNamed } from '../catalog/networks.ts';
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
