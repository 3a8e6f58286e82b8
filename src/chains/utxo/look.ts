/**
 * Watches a UTXO network through a watch-only wallet on the node. Each poll asks for one list that covers all
 * addresses. Holds no key.
 */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import type { Look, Looking } from '../port.ts';
import { checkedNode } from '../rpc/failover.ts';
import { firstThatAnswers, type JsonRpc } from '../rpc/json-rpc.ts';
import { isUtxoAddress, scriptOf } from './address.ts';
import { broadcast } from './broadcast.ts';
import { checkNodes } from './check.ts';
import { joinable, smallOutputs } from './consolidation.ts';
import { creditAt, deepest, depthOf, heldTransactions, readHeld } from './depth.ts';
import { feeRate, typicalFee } from './fees.ts';
import { immatureAt, registerHotWallet, requireHotWallet } from './hot-wallet.ts';
import { ask, utxoRpc } from './node.ts';
import { overtaker } from './overtaker.ts';
import { utxoParams } from './params.ts';
import { paymentsTo } from './payments-to.ts';
import { registerAddresses } from './register.ts';
import { CHAIN_INFO, type Unspent } from './shapes.ts';
import { deepBalance, shallowOutputs, totalBalance } from './unspent.ts';

/** Outputs at the hot wallet that are not deep yet and whose origin is looked up, the largest first. */
const MAX_SHALLOW = 1_000;

/** The hot wallet's among addresses that are registered. */
const HOT_INDEX = -1;

interface Scanning {
	readonly rpc: JsonRpc;
	readonly tip: () => Promise<{ hash: string; height: number }>;
}

export function utxoLook(network: NetworkOf<'utxo'>, node: NodeConfig, hotAddress: string): Looking<Scanning> {
	const params = utxoParams(network, node.chain);
	const eachNode = node.urls.map((url) => utxoRpc({ ...node, urls: [url] }));
	const rpc = firstThatAnswers(eachNode.map((each) => checkedNode(each, requireOurs)));

	/** @throws ChainUnavailable also from a node of another chain: its coins are not the coins that we owe. */
	async function chainInfo(single: JsonRpc) {
		const info = await ask(single, CHAIN_INFO, 'getblockchaininfo');
		if (info.chain !== node.chain) throw new ChainUnavailable(`the node is on ${info.chain}, not on ${node.chain}`);
		return info;
	}

	/** Also of a node that was down when the hot wallet was registered. */
	async function requireOurs(single: JsonRpc): Promise<void> {
		await chainInfo(single);
		await requireHotWallet(single, hotAddress);
	}

	async function tip(): Promise<{ hash: string; height: number }> {
		const info = await chainInfo(rpc);
		if (info.initialblockdownload) throw new ChainUnavailable('the node is still catching up');
		return { hash: info.bestblockhash, height: info.blocks };
	}

	const height = async () => ({ height: (await tip()).height, blockSeconds: network.blockSeconds });

	/** Outputs at the hot wallet that are not deep yet, and those of them that our own transactions made, base units. */
	async function shallow(): Promise<{ all: bigint; ours: bigint; isComplete: boolean }> {
		const { outputs, isComplete } = await shallowOutputs(rpc, hotAddress, deepest(network) - 1);
		const asked = outputs.slice(0, MAX_SHALLOW);
		const known = await heldTransactions(
			rpc,
			asked.map(({ txid }) => txid),
		);
		const ours = asked.filter(({ txid }) => known.get(txid)?.fee !== undefined);
		return { all: sumOf(outputs), ours: sumOf(ours), isComplete: isComplete && asked.length === outputs.length };
	}

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

		async depths(refs) {
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
		},

		async transactionDepth(txId) {
			const transaction = (await heldTransactions(rpc, [txId])).get(txId);
			if (!transaction) return null;
			// The wallet shows the fee as a negative amount.
			const fee = transaction.confirmations > 0 ? -(transaction.fee ?? 0n) : null;
			return { ...depthOf(transaction), reverted: false, fee };
		},

		paymentsTo: async (_asset, to) => paymentsTo(rpc, params, await height(), to),
		overtaker: async (raw, _from, guess) => overtaker(rpc, params, await height(), { raw, guess }),

		async costsNow() {
			const amount = typicalFee(params, await feeRate(rpc, params));
			return async (asset) => ({ fee: { asset, amount } });
		},

		broadcast: (raw) => broadcast(rpc, raw),

		reserve: 'credits',
		spendsDeposits: true,

		/**
		 * A deposit counts as soon as it is seen. A payment to the hot wallet counts once it is deep, which is when it is
		 * booked as reserve. Coins that are not spendable yet are ours as well.
		 */
		async holdings() {
			const [{ spendable, immature }, atHot] = await Promise.all([totalBalance(rpc), shallow()]);
			const fresh = immature > 0n ? await immatureAt(rpc, hotAddress, (await tip()).height, deepest(network)) : 0n;
			if (!atHot.isComplete)
				throw new ChainUnavailable(
					'the hot wallet has too many recent payments to tell ours apart from others; wait for more blocks',
				);
			return spendable + immature - fresh - atHot.all + atHot.ours;
		},

		/**
		 * Follows the signer's own rule: outputs that are deep enough for any deposit, and outputs of our own transactions.
		 */
		async balance() {
			const [deep, atHot] = await Promise.all([deepBalance(rpc, deepest(network)), shallow()]);
			return deep + atHot.ours;
		},

		async consolidation() {
			const least = deepest(network);
			const { outputs, rate } = await smallOutputs(rpc, params, least, () => true);
			const hotScript = scriptOf(hotAddress, params);
			const joined =
				hotScript &&
				joinable(outputs, { held: await deepBalance(rpc, least), rate, hotScriptLength: hotScript.length }, params);
			return joined ? { coins: joined.coins.length, amount: joined.amount, fee: joined.fee } : null;
		},

		check: () => checkNodes(network, node, hotAddress),
	};
	return { look, scanning: { rpc, tip } };
}

const sumOf = (unspent: readonly Unspent[]): bigint => unspent.reduce((sum, { amount }) => sum + amount, 0n);
