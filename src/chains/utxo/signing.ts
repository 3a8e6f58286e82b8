/**
 * Signs for a UTXO network. Only the signer Worker creates one. It sees the chain through its own provider and its own coin
 * book, and spends deposits and change alike, so nothing needs sweeping. Of what is spent already the caller tells.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import { greater, sumOf } from '../../money/units.ts';
import type { NodeConfig } from '../configuration.ts';
import { InsufficientReserve, PaymentImpossible } from '../errors.ts';
import { distinctReservations, type Reservation } from '../reservations.ts';
import type { ChainSigner, Payment, SignedTransaction, SigningFamily, SigningState } from '../signing-port.ts';
import type { Keeping } from '../watching-port.ts';
import { scriptOf } from './address.ts';
import { spendableSum } from './book/reads.ts';
import { type Chosen, chooseCoins } from './coins.ts';
import { joinable } from './consolidation.ts';
import { feeFor, feeRate } from './fees.ts';
import { finalAmount } from './final-amount.ts';
import { hotKey, payInAddress, payInKey } from './keys.ts';
import { type Coin, coinsAt, deepCoins, smallCoins, spendableCoins, type Wallet } from './own-coins.ts';
import { type UtxoParams, utxoParams } from './params.ts';
import { hasPaid } from './payments-to.ts';
import { coinOf, provenTransaction } from './proof.ts';
import { signMessage } from './prove.ts';
import { provenChain } from './proving.ts';
import { bumpedFee, type FeeBump, versionOf } from './replace.ts';
import { signedTransaction } from './transaction.ts';
import { formOf, utxoWatching } from './watching.ts';

export const utxoSigning: SigningFamily<NetworkOf<'utxo'>> = {
	addresses: (network, seed) => {
		const params = utxoParams(network, 'main');
		return {
			payInAddress: (index) => payInAddress(seed, params, index),
			hotAddress: () => hotKey(seed, params).address,
		};
	},
	signer: (network, node, seed, { keeping }) => utxoSigner(network, node, seed, keeping),
};

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function utxoSigner(
	network: NetworkOf<'utxo'>,
	node: NodeConfig,
	seed: Uint8Array,
	keeping: Keeping,
): ChainSigner {
	const watching = utxoWatching(network, node, keeping, provenChain);
	const { params } = watching;
	const asset = nativeAsset(network.name);
	const hot = hotKey(seed, params);
	const wallet: Wallet = { watching, seed, hot };

	return {
		payInAddress: (index) => payInAddress(seed, params, index),

		hotAddress: () => hot.address,

		finalAmount: (refs, isFinal) => finalAmount(watching, asset, refs, isFinal),

		hasPaid: async (txId, payment) => payment.asset === asset && hasPaid(watching, txId, payment),

		sign: async (payment, state) => made(wallet, await sign(wallet, payment, state)),

		signReserve: async (text, index) => signMessage(index === null ? hot : payInKey(seed, params, index), text),

		async consolidate(state) {
			const joined = await consolidate(wallet, state);
			return joined && made(wallet, joined);
		},

		async replace(previous, payment, state, onlyIfRefused) {
			const next = await replace(wallet, previous, payment, { state, onlyIfRefused });
			return next && made(wallet, next);
		},

		takenBy: ({ raw, txId }) => {
			const decoded = provenTransaction(raw, txId, formOf(params));
			if (!decoded) throw new TypeError(`the bytes of ${txId} are not that transaction`);
			return decoded.spends.map(coinOf);
		},
	};
}

/** Its change may be spent before a block has it. */
function made<Made extends SignedTransaction>({ watching: { book } }: Wallet, transaction: Made): Made {
	book.noteMade(transaction.txId, transaction.raw);
	return transaction;
}

/** A choice is made again as often as a chosen coin turns out to be spent in the mempool, by what nobody here knows. */
const MOST_CHOICES = 10;

async function sign(wallet: Wallet, payment: Payment, state: SigningState): Promise<SignedTransaction> {
	const { network, params, sources } = wallet.watching;
	const terms = termsOf(wallet, payment);
	const target = { ...terms, rate: await sources.use((source) => feeRate(source, params)) };
	const coins = await spendableCoins(wallet, state);
	const taken = new Set<string>();
	for (let choices = 0; choices < MOST_CHOICES; choices++) {
		// Confirmed coins first: a payment that spends unconfirmed change waits with its parent and prevents the parent's
		// fee bump.
		const chosen =
			chooseCoins(coins('confirmed', taken), target, params) ?? chooseCoins(coins('any', taken), target, params);
		if (!chosen) break;
		const spent = await spentInPool(wallet, chosen.coins);
		if (spent.length === 0) return signed(params, terms, chosen);
		for (const outpoint of spent) taken.add(outpoint);
	}
	throw new InsufficientReserve(`${network.name} cannot pay ${payment.amount} base units now`);
}

/** Those of these coins that the provider, its mempool included, does not have as unspent. */
async function spentInPool({ watching: { sources } }: Wallet, coins: readonly Coin[]): Promise<string[]> {
	const found = await sources.use((source) => source.outputs(coins, 'with pool'));
	return coins.filter((_, at) => !found[at]).map(({ outpoint }) => outpoint);
}

/** Spends all inputs of the earlier version again, so at most one of the two confirms. */
async function replace(
	wallet: Wallet,
	previous: SignedTransaction,
	payment: Payment,
	{ state, onlyIfRefused }: { readonly state: SigningState; readonly onlyIfRefused: boolean },
): Promise<SignedTransaction | null> {
	const { network, params, sources } = wallet.watching;
	const terms = termsOf(wallet, payment);
	const { spends, paid, virtualBytes } = versionOf(previous, terms, formOf(params));
	// A bump would drop the later payment too. Bump the later payment instead: miners take it together with its
	// ancestors. `versionOf` has checked that payment and change are the only outputs.
	if ([0, 1].some((vout) => state.spent.has(coinOf({ txId: previous.txId, vout }))))
		throw new PaymentImpossible('a later payment of ours spends its change');
	const coins = await coinsAt(wallet, spends, state);
	const fee = sumOf(coins) - paid;
	const { rate, floor, together } = await sources.use(async (source) => ({
		rate: await feeRate(source, params),
		floor: await source.floorRate(),
		together: (await source.pooled([previous.txId]))[0],
	}));
	if (onlyIfRefused && fee >= feeFor(params, floor, virtualBytes)) return null;
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
	const { watching, hot } = wallet;
	const { keeper, book, params, deepest } = watching;
	const { coins, rate } = await smallCoins(wallet, state);
	const held = spendableSum(book, (await keeper.current()).height - deepest + 1);
	const joined = joinable(coins, { held, rate, hotScriptLength: hot.script.length }, params);
	if (!joined) return null;
	const { coins: chosen, amount, fee } = joined;
	const transaction = signedTransaction(chosen, [{ script: hot.script, amount }], params.replaceable);
	return { ...transaction, spends: chosen.map(coinOf), fee, amount };
}

function termsOf({ watching: { network, params }, hot }: Wallet, payment: Payment) {
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
