/**
 * Watches a UTXO network through a watch-only wallet on the node. Each poll asks for one list that covers all
 * addresses. Holds no key.
 */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeChain, NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import type { Look, Looking } from '../port.ts';
import { checkedNode } from '../rpc/failover.ts';
import { firstThatAnswers, type JsonRpc } from '../rpc/json-rpc.ts';
import { broadcast } from './broadcast.ts';
import { checkNodes } from './check.ts';
import { transactionDepth } from './depth.ts';
import { registerHotWallet, requireHotWallet } from './hot-wallet.ts';
import { ask, utxoRpc } from './node.ts';
import { overtaker } from './overtaker.ts';
import { type UtxoParams, utxoParams } from './params.ts';
import { paymentsTo } from './payments-to.ts';
import { registerAddresses } from './register.ts';
import { CHAIN_INFO } from './shapes.ts';

/** The hot wallet's among addresses that are registered. */
const HOT_INDEX = -1;

interface Scanning {
	readonly rpc: JsonRpc;
	readonly params: UtxoParams;
	readonly tip: () => Promise<{ hash: string; height: number }>;
}

export function utxoLook(network: NetworkOf<'utxo'>, node: NodeConfig, hotAddress: string): Looking<Scanning> {
	const params = utxoParams(network, node.chain);
	const chainInfo = (single: JsonRpc) => infoOf(single, node.chain);
	/** Also of a node that was down when the hot wallet was registered. */
	const requireOurs = async (single: JsonRpc): Promise<void> => {
		await chainInfo(single);
		await requireHotWallet(single, hotAddress);
	};
	const eachNode = node.urls.map((url) => utxoRpc({ ...node, urls: [url] }));
	const rpc = firstThatAnswers(eachNode.map((each) => checkedNode(each, requireOurs)));

	const tip = () => tipOf(rpc, node.chain);
	const height = async () => ({ height: (await tip()).height, blockSeconds: network.blockSeconds });

	const look: Look = {
		// Each node has its own wallet. If one lacked an address, that address's deposits would look dropped when it is
		// used. The hot wallet alone has a rule of its own.
		async register(addresses) {
			if (addresses.every(({ index }) => index === HOT_INDEX))
				return registerHotWallet(eachNode, chainInfo, hotAddress);
			const texts = addresses.map(({ address }) => address);
			await Promise.all(eachNode.map(async (single) => chainInfo(single).then(() => registerAddresses(single, texts))));
		},

		transactionDepth: (txId) => transactionDepth(rpc, txId),
		paymentsTo: async (_asset, to) => paymentsTo(rpc, params, await height(), to),
		overtaker: async (raw, _from, guess) => overtaker(rpc, params, await height(), { raw, guess }),
		broadcast: (raw) => broadcast(rpc, raw),
		check: () => checkNodes(network, node, hotAddress),
	};
	return { look, scanning: { rpc, params, tip } };
}

/** @throws ChainUnavailable also from a node of another chain: its coins are not the coins that we owe. */
async function infoOf(single: JsonRpc, chain: NodeChain) {
	const info = await ask(single, CHAIN_INFO, 'getblockchaininfo');
	if (info.chain !== chain) throw new ChainUnavailable(`the node is on ${info.chain}, not on ${chain}`);
	return info;
}

async function tipOf(rpc: JsonRpc, chain: NodeChain): Promise<{ hash: string; height: number }> {
	const info = await infoOf(rpc, chain);
	if (info.initialblockdownload) throw new ChainUnavailable('the node is still catching up');
	return { hash: info.bestblockhash, height: info.blocks };
}
