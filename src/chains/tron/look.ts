/** Watches Tron and sends to it through a full node's HTTP API: TRX and the catalog's TRC-20 tokens. Holds no key. */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Look, Looking } from '../port.ts';
import { heldBy } from './accounts.ts';
import { isTronAddress } from './address.ts';
import { broadcast } from './broadcast.ts';
import { checkNodes } from './check.ts';
import { type BlockPlace, depositDepths, tipsOf, transactionDepth } from './depth.ts';
import { costsOf, pricesOf } from './fees.ts';
import { lying } from './lying.ts';
import { eachOf, useNodes } from './node.ts';
import { type TronParams, tronParams } from './params.ts';
import { sentPayments } from './payments-to.ts';
import { received } from './received.ts';
import { recipientProblem } from './recipient.ts';
import { sweepQuotes } from './sweep.ts';

interface Scanning {
	readonly use: ReturnType<typeof useNodes>;
	readonly params: TronParams;
	/** Remembers the last block that a scan read. */
	readonly read: (place: BlockPlace) => void;
}

export function tronLook(network: NetworkOf<'tron'>, node: NodeConfig, hotAddress: string): Looking<Scanning> {
	const params = tronParams(network, hotAddress);
	const use = useNodes(network, node);
	/** Kept in memory only: after a restart the chain scans before it asks for depths. */
	let lastRead: BlockPlace | null = null;

	const look: Look = {
		sequential: false,
		isAddress: isTronAddress,
		recipientProblem: (asset, to) => use((node) => recipientProblem(node, to, asset === params.native)),

		/** Nodes need no list of addresses. But an address is given out only while a node of the right chain answers. */
		async register() {
			await use(tipsOf);
		},

		depths: (refs) => use((node) => depositDepths(node, params, refs, lastRead)),

		async costsNow() {
			const prices = await use(pricesOf);
			return (asset) => use((node) => costsOf(node, prices, { params, from: hotAddress, asset }));
		},

		broadcast: (raw) => use((node) => broadcast(node, raw)),
		transactionDepth: (txId) => use((node) => transactionDepth(node, txId)),
		paymentsTo: sentPayments(use, params, node.chain, hotAddress),
		balance: (asset) => use((node) => heldBy(node, params, asset, hotAddress)),

		/** The wallet last: what a sweep brings meanwhile is then counted twice, which the sweep explains, and never missed. */
		holdings: (asset, addresses) =>
			use(async (node) => {
				const lying = await eachOf(addresses, (address) => heldBy(node, params, asset, address));
				return lying.reduce((sum, amount) => sum + amount, await heldBy(node, params, asset, hotAddress));
			}),

		lying: (addresses) => use((node) => lying(node, params, lastRead, addresses)),
		received: (txId, address) => use((node) => received(node, params, txId, address)),
		reserve: 'balance',

		sweeping: {
			feePayer: 'address',
			quote: (targets) => use((node) => sweepQuotes(node, params, hotAddress, targets)),
			balances: (asset, addresses) =>
				use((node) => eachOf(addresses, (address) => heldBy(node, params, asset, address))),
		},

		check: () => checkNodes(network, node, hotAddress),
	};
	const read = (place: BlockPlace) => {
		lastRead = place;
	};
	return { look, scanning: { use, params, read } };
}
