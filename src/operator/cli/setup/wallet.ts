/**
 * Are typed words those of the wallet whose addresses the service has given out? The newest order that can be compared
 * tells: the words must derive its pay-in address, by the signer's own code. One order is enough, because a service has
 * one wallet for ever.
 */
import { isNetworkName, type NetworkName } from '../../../catalog/networks.ts';
import { isAddressOn } from '../../../chains/addresses.ts';
import type { JudgeVariables } from '../../../chains/judges.ts';
import { sandboxSeed, seedOf } from '../../../chains/seed.ts';
import { isSharedAddress, judgeVariables, ownAddresses } from '../../../chains/signing-registry.ts';
import { type Account, query } from './account.ts';

/** Orders that are looked at. */
const NEWEST = 100;
const NEWEST_ORDERS =
	'SELECT id, from_network AS network, pay_in_index AS payInIndex, pay_in_address AS address FROM orders ORDER BY created_at DESC LIMIT ?1';

interface Row {
	readonly id: string;
	readonly network: NetworkName;
	readonly payInIndex: number;
	readonly address: string;
}

/** An address that an order was given. */
export interface GivenAddress {
	readonly orderId: string;
	readonly network: NetworkName;
	isMadeBy(seed: Uint8Array): boolean;
}

/**
 * Null where there is nothing to compare: no order, or only such on test chains of Bitcoin, Litecoin and Dash, which write
 * the addresses of the same key in another way, or at addresses of theirs that two seeds make.
 */
export async function newestGivenAddress(account: Account, databaseId: string): Promise<GivenAddress | null> {
	const rows = await query<Row>(account, databaseId, NEWEST_ORDERS, [NEWEST]);
	const row = rows.find(
		({ network, address }) =>
			isNetworkName(network) && isOfMainChain(network, address) && !isSharedAddress(network, address),
	);
	if (!row) return null;
	const { id: orderId, network, payInIndex, address } = row;
	return {
		orderId,
		network,
		isMadeBy: (seed) =>
			[seed, sandboxSeed(seed)].some((one) => ownAddresses(network, one).payInAddress(payInIndex) === address),
	};
}

/** As the other judge has them. @throws ConfigurationError where the words are no seed */
export const judgeVariablesOf = async (words: string, judges: JudgeVariables): Promise<Record<string, string>> =>
	judgeVariables(judges, await seedOf(words));

/** The sandbox has addresses in the main chain's form. */
const isOfMainChain = (network: NetworkName, address: string): boolean =>
	isAddressOn({ SANDBOX: 'on' }, network, address);
