/**
 * Watches a UTXO network through a watch-only wallet on the node. Each poll asks for one list that covers all
 * addresses. Holds no key.
 */
import type { NetworkOf } from '../../catalog/networks.ts';
import { sumOf } from '../../money/units.ts';
import type { NodeChain, NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import type { ConsolidationQuote, DepositRef, Depth, Look, Looking } from '../port.ts';
import { checkedNode } from '../rpc/failover.ts';
import { firstThatAnswers, type JsonRpc } from '../rpc/json-rpc.ts';
import { isUtxoAddress, scriptOf } from './address.ts';
import { broadcast } from './broadcast.ts';
import { checkNodes } from './check.ts';
import { joinable, smallOutputs } from './consolidation.ts';
import { creditAt, deepest, depthOf, heldTransactions, readHeld, transactionDepth } from './depth.ts';
import { feeRate, typicalFee } from './fees.ts';
import { immatureAt, registerHotWallet, requireHotWallet } from './hot-wallet.ts';
import { ask, utxoRpc } from './node.ts';
import { overtaker } from './overtaker.ts';
import { type UtxoParams, utxoParams } from './params.ts';
import { paymentsTo } from './payments-to.ts';
import { registerAddresses } from './register.ts';
import { CHAIN_INFO } from './shapes.ts';
import { deepBalance, shallowOutputs, totalBalance } from './unspent.ts';

/** Outputs at the hot wallet that are not deep yet and whose origin is looked up, the largest first. */
const MAX_SHALLOW = 1_000;

/** The hot wallet's among addresses that are registered. */
const HOT_INDEX = -1;

interface Scanning {
	readonly rpc: JsonRpc;
	readonly tip: () => Promise<{ hash: string; height: number }>;
}

interface Wallet {
	readonly rpc: JsonRpc;
	readonly params: UtxoParams;
	readonly hotAddress: string;
	/** Confirmations after which every deposit is final. */
	readonly least: number;
	readonly tip: Scanning['tip'];
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
	const wallet: Wallet = { rpc, params, hotAddress, least: deepest(network), tip };

	const look: Look = {
		sequential: false,
		isAddress: (text) => isUtxoAddress(text, params),

		// Each node has its own wallet. If one lacked an address, that address's deposits would look dropped when it is
		// used. The hot wallet alone has a rule of its own.
		async register(addresses) {
			if (addresses.every(({ index }) => index === HOT_INDEX))
				return registerHotWallet(eachNode, chainInfo, hotAddress);
			const texts = addresses.map(({ address }) => address);
			await Promise.all(eachNode.map(async (single) => chainInfo(single).then(() => registerAddresses(single, texts))));
		},

		depths: (refs) => depths(rpc, refs),
		transactionDepth: (txId) => transactionDepth(rpc, txId),
		paymentsTo: async (_asset, to) => paymentsTo(rpc, params, await height(), to),
		overtaker: async (raw, _from, guess) => overtaker(rpc, params, await height(), { raw, guess }),

		async costsNow() {
			const amount = typicalFee(params, await feeRate(rpc, params));
			return async (asset) => ({ fee: { asset, amount } });
		},

		broadcast: (raw) => broadcast(rpc, raw),
		reserve: 'credits',
		spendsDeposits: true,
		holdings: () => holdings(wallet),

		/**
		 * Follows the signer's own rule: outputs that are deep enough for any deposit, and outputs of our own transactions.
		 */
		async balance() {
			const [deep, atHot] = await Promise.all([deepBalance(rpc, wallet.least), shallow(wallet)]);
			return deep + atHot.ours;
		},

		consolidation: () => consolidation(wallet),
		check: () => checkNodes(network, node, hotAddress),
	};
	return { look, scanning: { rpc, tip } };
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

async function depths(rpc: JsonRpc, refs: readonly DepositRef[]): Promise<(Depth | null | 'unknown')[]> {
	const { found, unreadable } = await readHeld(
		rpc,
		refs.map(({ txId }) => txId),
	);
	return refs.map(({ txId, position }) => {
		const transaction = found.get(txId);
		const immature = transaction && creditAt(transaction, position)?.immature;
		if (transaction) return { ...depthOf(transaction), ...(immature && { immature }) };
		return unreadable.has(txId) ? 'unknown' : null;
	});
}

/** Outputs at the hot wallet that are not deep yet, and those of them that our own transactions made, base units. */
async function shallow({
	rpc,
	hotAddress,
	least,
}: Wallet): Promise<{ all: bigint; ours: bigint; isComplete: boolean }> {
	const { outputs, isComplete } = await shallowOutputs(rpc, hotAddress, least - 1);
	const asked = outputs.slice(0, MAX_SHALLOW);
	const known = await heldTransactions(
		rpc,
		asked.map(({ txid }) => txid),
	);
	const ours = asked.filter(({ txid }) => known.get(txid)?.fee !== undefined);
	return { all: sumOf(outputs), ours: sumOf(ours), isComplete: isComplete && asked.length === outputs.length };
}

/**
 * A deposit counts as soon as it is seen. A payment to the hot wallet counts once it is deep, which is when it is
 * booked as reserve. Coins that are not spendable yet are ours as well.
 */
async function holdings(wallet: Wallet): Promise<bigint> {
	const { rpc, hotAddress, least, tip } = wallet;
	const [{ spendable, immature }, atHot] = await Promise.all([totalBalance(rpc), shallow(wallet)]);
	const fresh = immature > 0n ? await immatureAt(rpc, hotAddress, (await tip()).height, least) : 0n;
	if (!atHot.isComplete)
		throw new ChainUnavailable(
			'the hot wallet has too many recent payments to tell ours apart from others; wait for more blocks',
		);
	return spendable + immature - fresh - atHot.all + atHot.ours;
}

async function consolidation({ rpc, params, hotAddress, least }: Wallet): Promise<ConsolidationQuote | null> {
	const { outputs, rate } = await smallOutputs(rpc, params, least, () => true);
	const hotScript = scriptOf(hotAddress, params);
	const joined =
		hotScript &&
		joinable(outputs, { held: await deepBalance(rpc, least), rate, hotScriptLength: hotScript.length }, params);
	return joined ? { coins: joined.coins.length, amount: joined.amount, fee: joined.fee } : null;
}
