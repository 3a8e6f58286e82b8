/**
 * A UTXO network as the service sees it: a watch-only wallet on the node, one list per poll for all addresses. Holds
 * no key. Reports what the best chain and the mempool hold now; the agent draws the conclusions.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { Network } from '../../catalog/networks.ts';
import { type JsonRpc, jsonRpc } from '../json-rpc.ts';
import { type Chain, ChainUnavailable, type Depth, type ObservedDeposit } from '../port.ts';
import { isUtxoAddress } from './address.ts';
import { broadcast } from './broadcast.ts';
import { checkNodes } from './check.ts';
import { feeRate, typicalFee } from './fees.ts';
import { ask, CHAIN_INFO, type Entry, type Place, paramsOf, SINCE_BLOCK, type Unspent, type UtxoNode } from './node.ts';
import { registerAddresses } from './register.ts';
import { creditOf, deepest, depthOf, heldTransactions, unspentOutputs } from './wallet.ts';

/** Blocks that each poll lists anew. Deeper than any network's finality, so that all that is unsettled is seen again. */
const RELISTED_BLOCKS = 12;
/**
 * Unconfirmed transactions that one poll asks about, those that pay most first: a flood of dust in the mempool takes a
 * bounded time, hides no deposit, and waits for its block.
 */
const POOLED_PER_POLL = 1_000;

export function utxoChain(network: Network, node: UtxoNode, hotAddress: string): Chain {
	const params = paramsOf(network, node);
	const asset = nativeAsset(network.name);
	const rpc = jsonRpc(node.urls);
	const eachNode = node.urls.map((url) => jsonRpc([url]));

	async function depths(txIds: readonly string[]): Promise<(Depth | null)[]> {
		const held = await heldTransactions(rpc, txIds);
		return txIds.map((txId) => {
			const transaction = held.get(txId);
			return transaction ? depthOf(transaction) : null;
		});
	}

	/** @throws ChainUnavailable also from a node of another chain: its coins are not the coins that we owe. */
	async function chainInfo(single: JsonRpc) {
		const info = await ask(single, CHAIN_INFO, 'getblockchaininfo');
		if (info.chain !== node.chain) throw new ChainUnavailable(`the node is on ${info.chain}, not on ${node.chain}`);
		return info;
	}

	async function tip(): Promise<{ hash: string; height: number }> {
		const info = await chainInfo(rpc);
		if (info.initialblockdownload) throw new ChainUnavailable('the node is still catching up');
		return { hash: info.bestblockhash, height: info.blocks };
	}

	/** By the signer's own rule: what is deep enough for any deposit, and what our own transactions made. */
	async function settled(unspent: readonly Unspent[]): Promise<Unspent[]> {
		const shallow = unspent.filter(({ confirmations }) => confirmations < deepest(network));
		const known = await heldTransactions(
			rpc,
			shallow.map(({ txid }) => txid),
		);
		return unspent.filter(
			({ txid, confirmations }) => confirmations >= deepest(network) || known.get(txid)?.fee !== undefined,
		);
	}

	return {
		sequential: false,
		isAddress: (text) => isUtxoAddress(text, params),

		// Every node has its own wallet: one that lacks an address would call its deposits vanished when its turn comes.
		async register(addresses) {
			const texts = addresses.map(({ address }) => address);
			await Promise.all(eachNode.map(async (single) => chainInfo(single).then(() => registerAddresses(single, texts))));
		},

		async scan(cursor) {
			const best = await tip();
			// The first look sees all that the wallet ever saw: addresses may have been shown, and the payout wallet filled,
			// before it.
			const since = cursor ?? '';
			const list = await ask(rpc, SINCE_BLOCK, 'listsinceblock', since, RELISTED_BLOCKS, true, false);
			const held = await heldTransactions(rpc, pooledCredits(list.transactions));
			const deposits = list.transactions.flatMap((entry): ObservedDeposit[] => {
				const credit = creditOf(entry);
				const place = entry.confirmations > 0 ? entry : held.get(entry.txid);
				return credit && place ? [{ txId: entry.txid, asset, ...credit, ...depthOf(place) }] : [];
			});
			return { deposits, cursor: list.lastblock, height: best.height };
		},

		depths: (refs) => depths(refs.map(({ txId }) => txId)),

		async transactionDepth(txId) {
			const transaction = (await heldTransactions(rpc, [txId])).get(txId);
			if (!transaction) return null;
			// The wallet shows it as what it took.
			const fee = transaction.confirmations > 0 ? -(transaction.fee ?? 0n) : null;
			return { ...depthOf(transaction), reverted: false, fee };
		},

		async feeEstimate(asset) {
			return { asset, amount: typicalFee(params, await feeRate(rpc, params)) };
		},

		broadcast: (raw) => broadcast(rpc, raw),

		reserve: 'credits',
		spendsDeposits: true,

		/** A deposit counts when it is seen; a payment to the payout wallet, like a reserve that is booked, when it is deep. */
		async holdings() {
			const unspent = await unspentOutputs(rpc);
			return sumOf([
				...unspent.filter(({ address }) => address !== hotAddress),
				...(await settled(unspent.filter(({ address }) => address === hotAddress))),
			]);
		},

		async balance() {
			return sumOf(await settled(await unspentOutputs(rpc)));
		},

		check: () => checkNodes(network, node, hotAddress),
	};
}

function pooledCredits(entries: readonly (Entry & Place)[]): string[] {
	const credits = entries.filter((entry) => entry.confirmations === 0 && creditOf(entry));
	const largestFirst = credits.toSorted((a, b) => Number(b.amount - a.amount));
	return [...new Set(largestFirst.map(({ txid }) => txid))].slice(0, POOLED_PER_POLL);
}

const sumOf = (unspent: readonly Unspent[]): bigint => unspent.reduce((sum, { amount }) => sum + amount, 0n);
