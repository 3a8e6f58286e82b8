/**
 * Outputs that the signer may spend, each with its key: deep outputs, our own change, and the inputs of an earlier
 * version of a payment. Asks the signer's own node. An output is ours only if one of our keys derives its address.
 */
import type { Network } from '../../catalog/networks.ts';
import { ChainUnavailable } from '../errors.ts';
import { deepestConfirmations } from '../finality.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { SigningState } from '../signing-port.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { ownAddressOf } from './address.ts';
import { byAmount } from './coins.ts';
import { smallOutputs } from './consolidation.ts';
import { creditAt, walletTransactions } from './depth.ts';
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

export interface Wallet {
	readonly rpc: JsonRpc;
	readonly network: Network;
	readonly params: UtxoParams;
	readonly seed: Uint8Array;
	readonly hot: UtxoKey;
}

/** Outputs at the hot wallet that are not deep yet and are checked for being our own change, the largest first. */
const MAX_SHALLOW = 200;

const notSpent = (outputs: readonly Unspent[], { spent }: SigningState): Unspent[] =>
	outputs.filter(({ txid, vout }) => !spent.has(coinOf({ txId: txid, vout })));

const deepOutputs = async ({ rpc, network }: Wallet, state: SigningState): Promise<Unspent[]> =>
	notSpent((await largestOutputs(rpc, deepestConfirmations(network.name))).outputs, state);

/**
 * Largest first, with at least the given number of confirmations. A coin is spendable if it is deep enough for a
 * deposit of any value, or if it is our own change: nobody else can undo that.
 */
export async function spendableCoins(
	wallet: Wallet,
	state: SigningState,
): Promise<(leastConfirmations: 0 | 1) => Iterable<Coin>> {
	const deep = await deepOutputs(wallet, state);
	const { outputs } = await shallowOutputs(
		wallet.rpc,
		wallet.hot.address,
		deepestConfirmations(wallet.network.name) - 1,
	);
	// Where a payment has several versions, another version may confirm. Then this version's change never exists.
	const only = notSpent(outputs, state).filter(({ txid }) => !state.spent.has({ kind: 'version', txId: txid }));
	const spendable = [...deep, ...(await ownChange(wallet.rpc, only.slice(0, MAX_SHALLOW), state.spent))];
	return (least) =>
		keyed(
			wallet,
			spendable.filter(({ confirmations }) => confirmations >= least),
			state,
		);
}

/** Confirmed coins, largest first: what a fee bump may spend beside the inputs of the earlier version (BIP125). */
export const deepCoins = async (wallet: Wallet, state: SigningState): Promise<Iterable<Coin>> =>
	keyed(wallet, await deepOutputs(wallet, state), state);

/** The smallest coins that are deep enough and worth joining, and the current fee rate (`consolidation.ts`). */
export async function smallCoins(wallet: Wallet, state: SigningState): Promise<{ coins: Coin[]; rate: bigint }> {
	const { rpc, network, params } = wallet;
	const isFree = ({ txid, vout }: Unspent) => !state.spent.has(coinOf({ txId: txid, vout }));
	const { outputs, rate } = await smallOutputs(rpc, params, deepestConfirmations(network.name), isFree);
	return { coins: [...keyed(wallet, outputs, state)], rate };
}

/**
 * The inputs of an earlier version of a payment. Their amounts are proven, or the segwit signature covers them.
 * @throws ChainUnavailable where the node does not know one of them
 */
export async function coinsAt(wallet: Wallet, outpoints: readonly Outpoint[], state: SigningState): Promise<Coin[]> {
	const parents = await walletTransactions(wallet.rpc, txIdsOf(outpoints));
	const outputs = outpoints.flatMap(({ txId: txid, vout }): Output[] => {
		const parent = parents.get(txid);
		const proven = provenTransaction(parent?.hex ?? '', txid)?.outputs[vout];
		const address = proven && ownAddressOf(proven.script, wallet.params);
		if (proven && address) return [{ txid, vout, amount: proven.amount, address }];
		// This code cannot decode an MWEB transaction, but the wallet lists its outputs.
		const credit = parent && creditAt(parent, String(vout));
		return credit ? [{ txid, vout, amount: credit.amount, address: credit.address }] : [];
	});
	const coins = [...keyed(wallet, outputs, state)];
	if (coins.length < outpoints.length) throw new ChainUnavailable('the node does not know what the payment spends');
	return coins;
}

/** Derives a key only when the caller takes its coin. A coin whose index derives another address is left out. */
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
