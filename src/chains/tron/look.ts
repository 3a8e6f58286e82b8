/** Watches Tron and sends to it through a full node's HTTP API: TRX and the catalog's TRC-20 tokens. Holds no key. */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Looking } from '../looking.ts';
import type { Look } from '../port.ts';
import { eachOf } from '../rpc/each-of.ts';
import { heldBy } from './accounts.ts';
import { broadcast } from './broadcast.ts';
import { checkNodes } from './check.ts';
import { tipsOf, transactionDepth } from './depth.ts';
import { useNodes } from './node.ts';
import { type TronParams, tronParams } from './params.ts';
import { sweepQuotes, unlistedQuote } from './sweep.ts';

interface Scanning {
	readonly use: ReturnType<typeof useNodes>;
	readonly params: TronParams;
}

export function tronLook(network: NetworkOf<'tron'>, node: NodeConfig, hotAddress: string): Looking<Scanning> {
	const params = tronParams(network, hotAddress);
	const use = useNodes(params, node);
	const look: Look = {
		/** Nodes need no list of addresses. But an address is given out only while a node of the right chain answers. */
		async register() {
			await use(tipsOf);
		},
		broadcast: (raw) => use((node) => broadcast(node, raw)),
		transactionDepth: (txId) => use((node) => transactionDepth(node, txId)),
		quoteToken: (target) => use((node) => unlistedQuote(node, target)),
		sweeping: {
			feePayer: 'address',
			quote: (targets) => use((node) => sweepQuotes(node, hotAddress, targets)),
			balances: (asset, addresses) => use((node) => eachOf(addresses, (address) => heldBy(node, asset, address))),
		},
		check: () => checkNodes(params, node, hotAddress),
	};
	return { look, scanning: { use, params } };
}
