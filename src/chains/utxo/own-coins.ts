/**
 * Outputs that the signer may spend, each with its key: what is deep enough, our own change, and what an earlier version
 * of a payment spends. Asks the signer's own node, and takes for ours only what one of our keys leads to.
 */
import type { Network } from '../../catalog/networks.ts';
import { ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { SigningState } from '../signing-port.ts';
import { ownAddressOf } from './address.ts';
import { byAmount } from './coins.ts';
import { smallOutputs } from './consolidation.ts';
import { creditOf, deepest, walletTransactions } from './depth.ts';
import { payInKey, type UtxoKey } from './keys.ts';
import type { UtxoParams } from './params.ts';
import { coinOf, type Outpoint, ownChange, provenTransaction } from './proof.ts';
import type { Unspent } from './shapes.ts';
import type { SigningCoin } from './transaction.ts';
import { largestOutputs, shallowOutputs } from './unspent.ts';

/** An unspent output at an address of ours. */
export interface Coin extends SigningCoin {
	readonly outpoint: string;
}

type Output = Omit<Unspent, 'confirmations'>;

interface Wallet {
	readonly rpc: JsonRpc;
	readonly network: Network;
	readonly params: UtxoParams;
	readonly seed: Uint8Array;
	readonly hot: UtxoKey;
}

/** Outputs of ours in question when change that is not deep yet is looked for, the largest first. */
const MAX_SHALLOW = 200;

const notSpent = (outputs: readonly Unspent[], { spent }: SigningState): Unspent[] =>
	outputs.filter(({ txid, vout }) => !spent.has(coinOf({ txId: txid, vout })));

const deepOutputs = async ({ rpc, network }: Wallet, state: SigningState): Promise<Unspent[]> =>
	notSpent((await largestOutputs(rpc, deepest(network))).outputs, state);

/**
 * Largest first, by how many confirmations they have at least: deep enough for a deposit of any value, or made by
 * ourselves: nobody else can take those back.
 */
export async function spendableCoins(
	wallet: Wallet,
	state: SigningState,
): Promise<(leastConfirmations: 0 | 1) => Iterable<Coin>> {
	const deep = await deepOutputs(wallet, state);
	const { outputs } = await shallowOutputs(wallet.rpc, wallet.hot.address, deepest(wallet.network) - 1);
	// Of a payment that has several versions another one may confirm yet, and this one's change would never have been.
	const only = notSpent(outputs, state).filter(({ txid }) => !state.spent.has({ kind: 'version', txId: txid }));
	const spendable = [...deep, ...(await ownChange(wallet.rpc, only.slice(0, MAX_SHALLOW), state.spent))];
	return (least) =>
		keyed(
			wallet,
			spendable.filter(({ confirmations }) => confirmations >= least),
			state,
		);
}

/** Largest first, in blocks only: what a replacement may spend beside what it replaces (BIP125). */
export const deepCoins = async (wallet: Wallet, state: SigningState): Promise<Iterable<Coin>> =>
	keyed(wallet, await deepOutputs(wallet, state), state);

/** The smallest that are deep enough and worth it, with the present fee rate (`consolidation.ts`). */
export async function smallCoins(wallet: Wallet, state: SigningState): Promise<{ coins: Coin[]; rate: bigint }> {
	const { rpc, network, params } = wallet;
	const isFree = ({ txid, vout }: Unspent) => !state.spent.has(coinOf({ txId: txid, vout }));
	const { outputs, rate } = await smallOutputs(rpc, params, deepest(network), isFree);
	return { coins: [...keyed(wallet, outputs, state)], rate };
}

/**
 * What an earlier version of a payment spends. The amounts are proven, or else covered by the segwit signature.
 * @throws ChainUnavailable where the node does not know one of them
 */
export async function coinsAt(wallet: Wallet, outpoints: readonly Outpoint[], state: SigningState): Promise<Coin[]> {
	const parents = await walletTransactions(
		wallet.rpc,
		outpoints.map(({ txId }) => txId),
	);
	const outputs = outpoints.flatMap(({ txId: txid, vout }): Output[] => {
		const parent = parents.get(txid);
		const proven = provenTransaction(parent?.hex ?? '', txid)?.outputs[vout];
		const address = proven && ownAddressOf(proven.script, wallet.params);
		if (proven && address) return [{ txid, vout, amount: proven.amount, address }];
		// An MWEB transaction cannot be read here; what the wallet lists of it can.
		const credit = parent?.details.map(creditOf).find((each) => each?.position === String(vout));
		return credit ? [{ txid, vout, amount: credit.amount, address: credit.address }] : [];
	});
	const coins = [...keyed(wallet, outputs, state)];
	if (coins.length < outpoints.length) throw new ChainUnavailable('the node does not know what the payment spends');
	return coins;
}

/** Derives only the keys that are asked for; a coin whose index leads to another address is not ours to spend. */
function* keyed(
	{ seed, params, hot }: Wallet,
	outputs: readonly Output[],
	state: SigningState,
): Generator<Coin, undefined> {
	const strangers = outputs.flatMap(({ address }) => (address && address !== hot.address ? address : []));
	const indexes = state.indexesOf([...new Set(strangers)]);
	const coins = outputs.map((output) => ({ ...output, outpoint: `${output.txid}:${output.vout}` }));
	for (const { txid, vout, amount, address, outpoint } of coins.sort(byAmount)) {
		const index = address === undefined ? undefined : indexes.get(address);
		const key = address === hot.address ? hot : index !== undefined && payInKey(seed, params, index);
		if (key && key.address === address) yield { txId: txid, vout, amount, outpoint, key };
	}
}
