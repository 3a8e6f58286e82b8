/**
 * Keys and signatures for a UTXO network; the signer Worker alone makes one. Sees the chain through its own node, and
 * takes its coins from deposits and change alike, so that nothing needs sweeping. Stores nothing: what is spent
 * already comes in as an argument.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { Network } from '../../catalog/networks.ts';
import { jsonRpc } from '../json-rpc.ts';
import { type ChainSigner, InsufficientReserve, type Payment, PaymentImpossible, type SigningState } from '../port.ts';
import { scriptOf } from './address.ts';
import { byAmount, type Chosen, chooseCoins } from './coins.ts';
import { feeRate } from './fees.ts';
import { hotKey, payInAddress, payInKey } from './keys.ts';
import { paramsOf, type UtxoNode } from './node.ts';
import { ownChange, proveAmounts } from './proof.ts';
import { type SigningCoin, signedTransaction } from './transaction.ts';
import { creditOf, deepest, depthOf, heldTransactions, unspentOutputs } from './wallet.ts';

/** An unspent output at an address of ours; `index` null for the payout wallet. */
interface Coin extends Omit<SigningCoin, 'key'> {
	readonly outpoint: string;
	readonly address: string;
	readonly index: number | null;
}

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function utxoSigner(network: Network, node: UtxoNode, seed: Uint8Array): ChainSigner {
	const params = paramsOf(network, node);
	const asset = nativeAsset(network.name);
	const rpc = jsonRpc(node.urls);
	const hot = hotKey(seed, params);

	/** Deep enough for a deposit of any value, or made by ourselves: nobody else can take those back. */
	async function spendableCoins(state: SigningState): Promise<Coin[]> {
		const unspent = (await unspentOutputs(rpc)).filter(({ txid, vout }) => !state.spent.has(`${txid}:${vout}`));
		const deep = unspent.filter(({ confirmations }) => confirmations >= deepest(network));
		const shallow = unspent.filter((each) => each.confirmations < deepest(network) && each.address === hot.address);
		const change = await ownChange(rpc, shallow, state.spent);
		const strangers = deep.flatMap(({ address }) => (address && address !== hot.address ? address : []));
		const indexes = state.indexesOf([...new Set(strangers)]);
		return [...deep, ...change].flatMap(({ txid, vout, amount, address }): Coin[] => {
			if (address === undefined) return [];
			const index = address === hot.address ? null : indexes.get(address);
			if (index === undefined) return [];
			return [{ txId: txid, vout, amount, address, index, outpoint: `${txid}:${vout}` }];
		});
	}

	/** Derives only the keys that are asked for; a coin whose index leads to another address is not ours to spend. */
	function* keyed(coins: readonly Coin[]): Generator<Coin & SigningCoin> {
		for (const coin of coins) {
			const key = coin.index === null ? hot : payInKey(seed, params, coin.index);
			if (key.address === coin.address) yield { ...coin, key };
		}
	}

	return {
		payInAddress: (index) => payInAddress(seed, params, index),

		hotAddress: () => hot.address,

		async finalAmount(refs, isFinal) {
			const held = await heldTransactions(
				rpc,
				refs.map(({ txId }) => txId),
			);
			const distinct = new Map(refs.map((ref) => [`${ref.txId}:${ref.position}`, ref]));
			let sum = 0n;
			for (const ref of distinct.values()) {
				const transaction = held.get(ref.txId);
				if (!transaction || ref.asset !== asset || !isFinal(depthOf(transaction))) continue;
				const credit = transaction.details.map(creditOf).find((each) => each?.position === ref.position);
				if (credit?.address === ref.address && credit.amount === ref.amount) sum += credit.amount;
			}
			return sum;
		},

		async sign(payment, state) {
			const recipientScript = recipientOf(payment);
			const rate = await feeRate(rpc, params);
			const coins = (await spendableCoins(state)).sort(byAmount);
			const target = { amount: payment.amount, rate, recipientScript, changeScript: hot.script };
			const chosen: Chosen<Coin & SigningCoin> | null = chooseCoins(keyed(coins), target, params);
			if (!chosen) throw new InsufficientReserve(`${network.name} cannot pay ${payment.amount} base units now`);
			if (params.ownScript === 'p2pkh') await proveAmounts(rpc, chosen.coins);
			const change = chosen.change > 0n ? [{ script: hot.script, amount: chosen.change }] : [];
			const outputs = [{ script: recipientScript, amount: payment.amount }, ...change];
			const signed = signedTransaction(chosen.coins, outputs);
			return { ...signed, spends: chosen.coins.map(({ outpoint }) => outpoint), fee: chosen.fee };
		},
	};

	function recipientOf(payment: Payment): Uint8Array {
		const script = scriptOf(payment.to, params);
		if (payment.asset !== asset) throw new PaymentImpossible(`${payment.asset} is not on ${network.name}`);
		if (!script) throw new PaymentImpossible(`not an address of ${network.name}: ${payment.to}`);
		if (payment.amount < params.dust) throw new PaymentImpossible(`${payment.amount} base units are dust`);
		return script;
	}
}
