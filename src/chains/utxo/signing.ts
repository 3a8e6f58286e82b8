/**
 * Signs for a UTXO network. Only the signer Worker creates one. It sees the chain through its own node, and spends
 * deposits and change alike, so nothing needs sweeping. Stores nothing: the caller passes in what is already spent.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import { greater, sumOf } from '../../money/units.ts';
import type { NodeConfig } from '../configuration.ts';
import { InsufficientReserve, PaymentImpossible } from '../errors.ts';
import { deepestConfirmations } from '../finality.ts';
import { distinctReservations, type Reservation } from '../reservations.ts';
import type { ChainSigner, Payment, SignedTransaction, SigningFamily, SigningState } from '../signing-port.ts';
import { scriptOf } from './address.ts';
import { type Chosen, chooseCoins } from './coins.ts';
import { joinable } from './consolidation.ts';
import { unconfirmedAncestors } from './depth.ts';
import { feeFor, feeRate, floorRate } from './fees.ts';
import { finalAmount } from './final-amount.ts';
import { hotKey, payInAddress } from './keys.ts';
import { utxoRpc } from './node.ts';
import { type Coin, coinsAt, deepCoins, smallCoins, spendableCoins, type Wallet } from './own-coins.ts';
import { type UtxoParams, utxoParams } from './params.ts';
import { hasPaid } from './payments-to.ts';
import { coinOf, proveAmounts, provenTransaction } from './proof.ts';
import { bumpedFee, type FeeBump, versionOf } from './replace.ts';
import { signedTransaction } from './transaction.ts';
import { deepBalance } from './unspent.ts';

export const utxoSigning: SigningFamily<NetworkOf<'utxo'>> = {
	addresses: (network, seed) => {
		const params = utxoParams(network, 'main');
		return {
			payInAddress: (index) => payInAddress(seed, params, index),
			hotAddress: () => hotKey(seed, params).address,
		};
	},
	signer: utxoSigner,
};

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function utxoSigner(network: NetworkOf<'utxo'>, node: NodeConfig, seed: Uint8Array): ChainSigner {
	const params = utxoParams(network, node.chain);
	const asset = nativeAsset(network.name);
	const rpc = utxoRpc(node);
	const hot = hotKey(seed, params);
	const wallet: Wallet = { rpc, network, params, seed, hot };

	return {
		payInAddress: (index) => payInAddress(seed, params, index),

		hotAddress: () => hot.address,

		finalAmount: (refs, isFinal) => finalAmount(rpc, asset, refs, isFinal),

		hasPaid: async (txId, payment) => payment.asset === asset && hasPaid(rpc, params, txId, payment),

		sign: (payment, state) => sign(wallet, payment, state),

		consolidate: (state) => consolidate(wallet, state),

		replace: (previous, payment, state, onlyIfRefused) => replace(wallet, previous, payment, { state, onlyIfRefused }),

		takenBy: ({ raw, txId }) => {
			const decoded = provenTransaction(raw, txId);
			if (!decoded) throw new TypeError(`the bytes of ${txId} are not that transaction`);
			return decoded.spends.map(coinOf);
		},
	};
}

async function sign(wallet: Wallet, payment: Payment, state: SigningState): Promise<SignedTransaction> {
	const { rpc, network, params } = wallet;
	const terms = termsOf(wallet, payment);
	const target = { ...terms, rate: await feeRate(rpc, params) };
	const coins = await spendableCoins(wallet, state);
	// Confirmed coins first: a payment that spends unconfirmed change waits with its parent and prevents the parent's
	// fee bump.
	const chosen = chooseCoins(coins(1), target, params) ?? chooseCoins(coins(0), target, params);
	if (!chosen) throw new InsufficientReserve(`${network.name} cannot pay ${payment.amount} base units now`);
	if (params.ownScript === 'p2pkh') await proveAmounts(rpc, chosen.coins);
	return signed(params, terms, chosen);
}

/** Spends all inputs of the earlier version again, so at most one of the two confirms. */
async function replace(
	wallet: Wallet,
	previous: SignedTransaction,
	payment: Payment,
	{ state, onlyIfRefused }: { readonly state: SigningState; readonly onlyIfRefused: boolean },
): Promise<SignedTransaction | null> {
	const { rpc, network, params } = wallet;
	const terms = termsOf(wallet, payment);
	const { spends, paid, virtualBytes } = versionOf(previous, terms);
	// A bump would drop the later payment too. Bump the later payment instead: miners take it together with its
	// ancestors. `versionOf` has checked that payment and change are the only outputs.
	if ([0, 1].some((vout) => state.spent.has(coinOf({ txId: previous.txId, vout }))))
		throw new PaymentImpossible('a later payment of ours spends its change');
	const coins = await coinsAt(wallet, spends, state);
	const fee = sumOf(coins) - paid;
	const rate = await feeRate(rpc, params);
	const floor = await floorRate(rpc);
	if (onlyIfRefused && fee >= feeFor(params, floor, virtualBytes)) return null;
	const together = await unconfirmedAncestors(rpc, previous.txId);
	if (together && !params.replaceable)
		throw new PaymentImpossible(`nodes of ${network.name} hold it, and replace nothing that they hold`);
	const bump: FeeBump = {
		...terms,
		fee,
		virtualBytes,
		// Twice the floor, so that not each small rise of it makes a version of its own.
		rate: onlyIfRefused ? greater(rate, 2n * floor) : rate,
		ancestors: together
			? { virtualBytes: together.virtualBytes - virtualBytes, fee: together.fee - fee }
			: { virtualBytes: 0, fee: 0n },
	};
	const chosen = bumpedFee(coins, [], bump, params) ?? bumpedFee(coins, await deepCoins(wallet, state), bump, params);
	if (!chosen) throw new PaymentImpossible(`no fee above ${fee} base units is possible or allowed`);
	const next = signed(params, terms, chosen);
	const versions = [previous.txId, next.txId].map((txId): Reservation => ({ kind: 'version', txId }));
	return { ...next, spends: distinctReservations([...previous.spends, ...next.spends, ...versions]) };
}

/** Smallest first, and only to ourselves: the coins alone determine fee and amount. */
async function consolidate(wallet: Wallet, state: SigningState) {
	const { rpc, network, params, hot } = wallet;
	const { coins, rate } = await smallCoins(wallet, state);
	const places = coins.map((coin) => ({ ...coin, txid: coin.txId }));
	const held = await deepBalance(rpc, deepestConfirmations(network.name));
	const joined = joinable(places, { held, rate, hotScriptLength: hot.script.length }, params);
	if (!joined) return null;
	if (params.ownScript === 'p2pkh') await proveAmounts(rpc, joined.coins);
	const { coins: chosen, amount, fee } = joined;
	const transaction = signedTransaction(chosen, [{ script: hot.script, amount }], params.replaceable);
	return { ...transaction, spends: chosen.map(coinOf), fee, amount };
}

function termsOf({ network, params, hot }: Wallet, payment: Payment) {
	const recipientScript = scriptOf(payment.to, params);
	if (payment.asset !== nativeAsset(network.name))
		throw new PaymentImpossible(`${payment.asset} is not on ${network.name}`);
	if (!recipientScript) throw new PaymentImpossible(`not an address of ${network.name}: ${payment.to}`);
	if (payment.amount < params.dust) throw new PaymentImpossible(`${payment.amount} base units are dust`);
	return { amount: payment.amount, recipientScript, changeScript: hot.script };
}

function signed(
	params: UtxoParams,
	{ amount, recipientScript, changeScript }: ReturnType<typeof termsOf>,
	{ coins, change, fee }: Chosen<Coin>,
): SignedTransaction {
	const back = change > 0n ? [{ script: changeScript, amount: change }] : [];
	const outputs = [{ script: recipientScript, amount }, ...back];
	const transaction = signedTransaction(coins, outputs, params.replaceable);
	return { ...transaction, spends: coins.map(coinOf), fee };
}
