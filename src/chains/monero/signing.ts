/**
 * Signs for Monero. Only the signer Worker creates one. The view-only wallet proposes a transaction. The cold wallet signs
 * it only if it contains nothing but the payment (`policy.ts`). Deposits are proven by the signer's own monerod and keys,
 * without a wallet. Coins that signed transactions spend are frozen in the view-only wallet, so that it proposes other
 * coins. Change can be spent again after ten blocks, so a wallet with few coins makes only few payments at a time.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { Network, NetworkOf } from '../../catalog/networks.ts';
import { ChainUnavailable, PaymentImpossible } from '../errors.ts';
import { checked } from '../node-checks.ts';
import type { Reservation } from '../reservations.ts';
import type { ReserveText } from '../reserve-text.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { ChainSigner, Payment, SignedTransaction, SigningFamily, SigningState } from '../signing-port.ts';
import { txidsOf } from '../transaction-ids.ts';
import type { WalletCoins } from '../watching-port.ts';
import { isMoneroAddress } from './address.ts';
import { checkWallet } from './check.ts';
import {
	type ColdSignature,
	exchangeKeyImages,
	OutOfStep,
	requireColdWallet,
	reserveProof,
	signAllowed,
	withKeyImages,
} from './cold.ts';
import { moneroDaemon } from './daemon.ts';
import { spenderOf, spentStates, UNSPENT } from './depth.ts';
import { walletRpc } from './digest.ts';
import { feeLimit } from './fees.ts';
import { finalAmount } from './final-amount.ts';
import { hotAddress, keysOf, payInAddress, viewKey } from './keys.ts';
import { PATIENT } from './new-wallets.ts';
import type { MoneroRpc, Send } from './node.ts';
import { type MoneroSigningNodeConfig, moneroSigningNode } from './node-config.ts';
import { hasPaid, type Programs, paymentsTo } from './payments-to.ts';
import type { Allowed } from './policy.ts';
import { freezeReserved, proposal, setFrozen } from './proposal.ts';
import { decodeRaw, encodeRaw } from './raw.ts';
import { registerAddresses } from './register.ts';
import { remade } from './remade.ts';
import { type Replacing, replace } from './replace.ts';
import { TXID } from './shapes.ts';
import { minorOf } from './subaddress-index.ts';
import { refreshed, sent, unspentOutputs } from './wallet.ts';
import type { Output } from './wallet-shapes.ts';

/** JSON numbers above this are not exact; 9 007 XMR. */
const MAX_AMOUNT = BigInt(Number.MAX_SAFE_INTEGER);

const reservationOf = (keyImage: string): Reservation => ({ kind: 'key image', keyImage });

interface Wallets extends Programs {
	readonly network: Network;
	/** The hot wallet's address. */
	readonly hot: string;
}

export const moneroSigning: SigningFamily<NetworkOf<'monero'>> = {
	addresses: (seed) => ({ payInAddress: (index) => payInAddress(seed, index), hotAddress: () => hotAddress(seed) }),
	signer: (network, node, seed, means) =>
		moneroSigner(network, moneroSigningNode(node, means), seed, () => means.addressesBelow()),
};

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function moneroSigner(
	network: NetworkOf<'monero'>,
	node: MoneroSigningNodeConfig,
	seed: Uint8Array,
	addressesBelow: () => number,
): ChainSigner {
	const asset = nativeAsset(network.name);
	const wallets = walletsOf(network, node, seed, addressesBelow);
	const { wallet, cold, daemon, hot } = wallets;

	return {
		payInAddress: (index) => payInAddress(seed, index),
		hotAddress: () => hot,
		check: async () => [
			await checkWallet(wallet, daemon, { host: new URL(node.walletUrl).host, hotAddress: hot }),
			await checked(`cold wallet ${new URL(node.coldWalletUrl).host}`, async () => {
				await requireColdWallet(cold, hot);
				return [true, "its address is the hot wallet's, and it can sign"];
			}),
		],
		finalAmount: (refs, isFinal) => finalAmount(daemon, keysOf(seed), { asset, refs, isFinal }),
		async hasPaid(txId, payment) {
			if (payment.asset !== asset || !TXID.test(txId)) return false;
			await refreshed(wallet, daemon);
			return hasPaid(wallets, txId, payment);
		},
		look: {
			async paymentsTo(_asset, to, since) {
				await requireColdWallet(cold, hot);
				return paymentsTo(wallets, to, since);
			},
			register: (addresses) => registerAddresses(wallet, addresses),
			async overtaker(raw) {
				await refreshed(wallet, daemon);
				return spenderOf(daemon, txidsOf(await sent(wallet)), decodeRaw(raw)?.shared ?? []);
			},
		},
		hidden: { viewKey: () => viewKey(seed), walletCoins: (since) => walletCoins(wallets, since) },
		sign: (payment, state) => sign(wallets, payment, state),
		replace: (previous, payment, state) => replace(replacing(wallets, payment, state), previous, payment, state),
		signReserve: (text, index) => proveReserve(wallets, text, index),
		takenBy: ({ raw }) => {
			const decoded = decodeRaw(raw);
			if (!decoded) throw new Error('not a signed transaction of Monero');
			return decoded.keyImages.map(reservationOf);
		},
	};
}

const replacing = (wallets: Wallets, payment: Payment, state: SigningState): Replacing => ({
	programs: wallets,
	coins: () => coins(wallets, state),
	pay: (from) => signInStep(wallets, payment, from),
	sign: () => sign(wallets, payment, state),
});

function walletsOf(
	network: NetworkOf<'monero'>,
	{ headers, restoreHeight, sendToWallet, sendToColdWallet, ...node }: MoneroSigningNodeConfig,
	seed: Uint8Array,
	addressesBelow: () => number,
): Wallets {
	const program = (url: string, send: Send | undefined, canSpend: boolean): MoneroRpc =>
		remade(walletRpc(url, { headers, send }), {
			keys: keysOf(seed),
			canSpend,
			restoreHeight,
			highestMinor: () => minorOf(addressesBelow() - 1),
			patient: walletRpc(url, { headers, send, ...PATIENT }),
		});
	return {
		network,
		wallet: program(node.walletUrl, sendToWallet, false),
		cold: program(node.coldWalletUrl, sendToColdWallet, true),
		daemon: moneroDaemon(node.urls, network.params.nettype[node.chain], headers),
		hot: hotAddress(seed),
	};
}

function requirePossible({ network, hot }: Wallets, { asset, to, amount }: Payment, isOurs: boolean): void {
	if (asset !== nativeAsset(network.name)) throw new PaymentImpossible(`${asset} is not on ${network.name}`);
	if (!isMoneroAddress(to)) throw new PaymentImpossible(`not an address of ${network.name}: ${to}`);
	if (amount <= 0n || amount > MAX_AMOUNT) throw new PaymentImpossible(`${amount} piconero cannot be paid at once`);
	// The wallet treats a payment to itself as change, so the order of that address would never see the deposit.
	if (isOurs || to === hot) throw new PaymentImpossible('the recipient is an address of this service');
}

/** A wallet that was made again does not know that a coin is spent before it has the coin's key image. */
async function walletCoins({ wallet, cold, daemon, hot }: Wallets, since: number): Promise<WalletCoins> {
	const blocks = await refreshed(wallet, daemon);
	let outputs: readonly Output[] = await unspentOutputs(wallet);
	if (outputs.some(({ key_image }) => key_image === '')) {
		await requireColdWallet(cold, hot);
		outputs = await withKeyImages(wallet, cold);
	}
	const coins = outputs.map(({ key_image: keyImage, tx_hash: txId, subaddr_index: { minor }, ...coin }) => ({
		...coin,
		keyImage,
		txId,
		minor,
	}));
	return { blocks, coins, sent: since < blocks ? txidsOf(await sent(wallet, since)) : [] };
}

/** One proof is for all addresses: it is the hot wallet's. */
async function proveReserve(wallets: Wallets, text: ReserveText, index: number | null) {
	if (index !== null) throw new TypeError('a reserve of one subaddress');
	const { wallet, cold, daemon, hot } = wallets;
	await requireColdWallet(cold, hot);
	const keyImages = (await walletCoins(wallets, Number.MAX_SAFE_INTEGER)).coins.map(({ keyImage }) => keyImage);
	const states = await spentStates(daemon, keyImages);
	// In the mempool a coin is gone already: its payment counts as made.
	const leaving = keyImages.filter((_, i) => states[i] !== UNSPENT);
	for (const keyImage of leaving) await setFrozen(wallet, keyImage, true);
	return reserveProof(wallet, cold, text);
}

/** Exactly those that are reserved are frozen. */
async function coins({ wallet, cold, daemon, hot }: Wallets, { spent }: SigningState): Promise<readonly Output[]> {
	await requireColdWallet(cold, hot);
	await refreshed(wallet, daemon);
	const outputs = await withKeyImages(wallet, cold);
	await freezeReserved(wallet, outputs, spent);
	return outputs.map((output) => ({ ...output, frozen: spent.has(reservationOf(output.key_image)) }));
}

async function sign(wallets: Wallets, payment: Payment, state: SigningState): Promise<SignedTransaction> {
	requirePossible(wallets, payment, state.indexesOf([payment.to]).size > 0);
	await coins(wallets, state);
	const { tx, txId, keyImages, fee } = await signInStep(wallets, payment);
	const spends = keyImages.map(reservationOf);
	if (spends.some((coin) => state.spent.has(coin)))
		throw new ChainUnavailable('the view-only wallet proposed coins that are spent already');
	const named = [...keyImages];
	return { raw: encodeRaw({ txId, keyImages: named, shared: named, tx }), txId, spends, fee };
}

/**
 * A cold wallet that was created again, or did not save the outputs that it received, can sign once it has them all.
 */
async function signInStep(
	{ wallet, cold, daemon, hot }: Wallets,
	payment: Payment,
	from?: readonly number[],
): Promise<ColdSignature> {
	const { to, amount } = payment;
	const allowed: Allowed = { to, amount, changeAddress: hot, fee: await feeLimit(daemon, amount) };
	try {
		return await signAllowed(cold, await proposal(wallet, payment, from), allowed);
	} catch (error) {
		if (!(error instanceof OutOfStep)) throw error;
	}
	try {
		await exchangeKeyImages(wallet, cold, true);
		return await signAllowed(cold, await proposal(wallet, payment, from), allowed);
	} catch (error) {
		if (!(error instanceof OutOfStep || error instanceof RpcError)) throw error;
		throw new ChainUnavailable(`the cold wallet cannot sign yet: ${error.message}`);
	}
}
