/** Is an address of this service, however it is written? Networks of one family share addresses, so one on any network counts. */
import { NETWORK_NAMES, type NetworkName } from '../catalog/networks.ts';
import { plainForm } from '../chains/addresses.ts';
import type { Journal } from './journal/journal.ts';

export function isOwnAddress(journal: Journal, network: NetworkName, hotAddress: string, text: string): boolean {
	const own = plainForm(network, text);
	return own === hotAddress || NETWORK_NAMES.some((name) => journal.addresses.indexesOf(name, [own]).size > 0);
}
