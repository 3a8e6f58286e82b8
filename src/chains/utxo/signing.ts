/**
 * Signs for a UTXO network. Only the signer Worker creates one. It sees the chain through its own provider and its own coin
 * book, and spends deposits and change alike, so nothing needs sweeping. Of what is spent already the caller tells.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import { greater, sumOf } from '../../money/units.ts';
import type { NodeConfig } from '../configuration.ts';
import { InsufficientReserve, PaymentImpossible } from '../errors.ts';
import type {
	ChainSigner,
	Payment,
	SignedTransaction,
	SigningFamily,
	SigningMeans,
	SigningState,
} from '../signing-port.ts';
import { approve } from './approve.ts';
import { spendableSum } from './book/reads.ts';
import { type Chosen, chooseCoins } from './coins.ts';
import { joinable } from './consolidation.ts';
import { finalAmount } from './depth.ts';
import { feeFor, feeRate } from './fees.ts';
import { othersAddresses, utxoJudgeKeys, utxoKeys } from './keys.ts';
import { type Coin, coinsAt, deepCoins, smallCoins, spendableCoins, type Wallet } from './own-coins.ts';
import { isSegwit, isShared } from './own-script.ts';
import { utxoParams } from './params.ts';
import { hasPaid } from './payments-to.ts';
import { coinOf, provenTransaction } from './proof.ts';
import { signByBoth, signMessage } from './prove.ts';
import { provenChain } from './proving.ts';
import { bumpedFee, type FeeBump, requireFreeChange, takenWith, versionOf } from './replace.ts';
import { type Terms, termsOf } from './terms.ts';
import { draftOf, type Output, signedTransaction, unsignedTransaction } from './transaction.ts';
import { formOf, utxoWatching } from './watching.ts';

export const utxoSigning: SigningFamily<NetworkOf<'utxo'>> = {
	addresses: (seed, network) => {
		const { payIn, hot } = utxoKeys(seed, utxoParams(network, 'main'));
		return { payInAddress: (index) => payIn(index).address, hotAddress: () => hot.address };
	},
	judgeKeys: (seed, network, chain, isCosigned) => utxoJudgeKeys(seed, utxoParams(network, chain), isCosigned),
	isShared: (network, address) => isShared(address, utxoParams(network, 'main')),
	otherAddresses: (other, network, chain) => othersAddresses(utxoParams(network, chain), other),
	signer: utxoSigner,
};

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function utxoSigner(
	network: NetworkOf<'utxo'>,
	node: NodeConfig,
	seed: Uint8Array,
	{ keeping, judges }: Pick<SigningMeans, 'keeping' | 'judges'>,
): ChainSigner {
	const keys = utxoKeys(seed, utxoParams(network, node.chain), judges);
	const watching = utxoWatching(network, node, keeping, { hotAddress: keys.hot.address, prove: provenChain });
	const { params } = watching;
	const asset = nativeAsset(network.name);
	const role = judges?.isCosigned ? judges.role : null;
	const wallet: Wallet = { watching, keys, role };

	return {
		payInAddress: (index) => keys.payIn(index).address,
		hotAddress: () => keys.hot.address,
		finalAmount: (refs, isFinal) => finalAmount(watching, asset, refs, isFinal),
		hasPaid: async (txId, payment) => payment.asset === asset && hasPaid(watching, txId, payment),
		sign: async (payment, state) => made(wallet, await sign(wallet, payment, state)),
		async consolidate(state) {
			const joined = await consolidate(wallet, state);
			return joined && made(wallet, joined);
		},
		async replace(previous, payment, state, onlyIfRefused) {
			const next = await replace(wallet, previous, payment, { state, onlyIfRefused });
			return next && made(wallet, next);
		},
		async signReserve(text, index, half) {
			const key = index === null ? keys.hot : keys.payIn(index);
			return role === null ? signMessage(key, text) : signByBoth(key, role, text, half);
		},
		...(role && { approve: (draft, state) => approve(wallet, draft, state) }),
		takenBy: ({ raw, txId }) => {
			const decoded = provenTransaction(raw, txId, formOf(params));
			if (!decoded) throw new TypeError(`the bytes of ${txId} are not that transaction`);
			return decoded.spends.map(coinOf);
		},
	};
}

/** Its change may be spent before a block has it. A draft is none yet. */
function made<Made extends SignedTransaction>({ watching: { book }, role }: Wallet, transaction: Made): Made {
	if (role === null) book.noteMade(transaction.txId, transaction.raw);
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
			chooseCoins(coins('confirmed', taken), target, params) ??
			(hasSureIds(wallet) ? chooseCoins(coins('any', taken), target, params) : null);
		if (!chosen) break;
		const spent = await spentInPool(wallet, chosen.coins);
		if (spent.length === 0) return signed(wallet, terms, chosen);
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
	if (!hasSureIds(wallet)) throw new PaymentImpossible(`a payment of two keys on ${network.name} has one version`);
	const terms = termsOf(wallet, payment);
	const { spends, paid, virtualBytes } = versionOf(previous, terms, formOf(params));
	requireFreeChange(previous, state);
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
	const next = signed(wallet, terms, chosen);
	return { ...next, spends: takenWith(next, previous) };
}

/** Smallest first, and only to ourselves: the coins alone determine fee and amount. */
async function consolidate(wallet: Wallet, state: SigningState) {
	const { watching, keys } = wallet;
	const { keeper, book, params, deepest } = watching;
	const { script } = keys.hot;
	const { coins, rate } = await smallCoins(wallet, state);
	const held = spendableSum(book, (await keeper.current()).height - deepest + 1);
	const joined = joinable(coins, { held, rate, hotScriptLength: script.length }, params);
	if (!joined) return null;
	const { coins: chosen, amount, fee } = joined;
	const transaction = written(wallet, chosen, [{ script, amount }]);
	return { ...transaction, spends: chosen.map(coinOf), fee, amount };
}

function signed(
	wallet: Wallet,
	{ amount, recipientScript, changeScript }: Terms,
	{ coins, change, fee }: Chosen<Coin>,
): SignedTransaction {
	const back = change > 0n ? [{ script: changeScript, amount: change }] : [];
	const transaction = written(wallet, coins, [{ script: recipientScript, amount }, ...back]);
	return { ...transaction, spends: coins.map(coinOf), fee };
}

/** Signed, or where both judges sign a draft for both. */
function written({ watching: { params }, role }: Wallet, coins: readonly Coin[], outputs: readonly Output[]) {
	const { replaceable } = params;
	if (role === null) return signedTransaction(coins, outputs, replaceable);
	return draftOf(unsignedTransaction(coins, outputs, replaceable));
}

/**
 * Is the id of a transaction known before both judges have signed? Where it is not, the co-signer could not follow our change
 * into another payment, nor tell one version from another.
 */
const hasSureIds = ({ watching: { params }, role }: Wallet): boolean => role === null || isSegwit(params.ownScript);
