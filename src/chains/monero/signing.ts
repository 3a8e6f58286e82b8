/**
 * Signs for Monero. Only the signer Worker creates one. The view-only wallet, the same that the API Worker submits
 * through, proposes a transaction. The cold wallet signs it only if it contains nothing but the payment (`policy.ts`).
 * The signer's own monerod must also confirm that deposits are final. Coins that signed transactions spend are frozen
 * in the view-only wallet, so that it proposes other coins. Change can be spent again after ten blocks, so a wallet
 * with few coins makes only few payments at a time.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { Network, NetworkOf } from '../../catalog/networks.ts';
import { ChainUnavailable, PaymentImpossible } from '../errors.ts';
import { checked } from '../node-checks.ts';
import type { Reservation } from '../reservations.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { ChainSigner, Payment, SignedTransaction, SigningFamily, SigningState } from '../signing-port.ts';
import { isMoneroAddress } from './address.ts';
import {
	type ColdSignature,
	exchangeKeyImages,
	OutOfStep,
	requireColdWallet,
	signAllowed,
	withKeyImages,
} from './cold.ts';
import { type MoneroDaemon, moneroDaemon } from './daemon.ts';
import { feeLimit } from './fees.ts';
import { finalAmount } from './final-amount.ts';
import { hotAddress, payInAddress } from './keys.ts';
import { type MoneroRpc, moneroRpc } from './node.ts';
import { type MoneroSigningNodeConfig, moneroSigningNode } from './node-config.ts';
import { paymentsTo } from './payments-to.ts';
import type { Allowed } from './policy.ts';
import { freezeReserved, proposal } from './proposal.ts';
import { decodeRaw, encodeRaw } from './raw.ts';
import { type Replacing, replace } from './replace.ts';
import { type Output, TXID } from './shapes.ts';
import { hasPaid, refreshed } from './wallet.ts';

/** JSON numbers above this are not exact; 9 007 XMR. */
const MAX_AMOUNT = BigInt(Number.MAX_SAFE_INTEGER);

const reservationOf = (keyImage: string): Reservation => ({ kind: 'key image', keyImage });

interface Wallets {
	readonly network: Network;
	readonly wallet: MoneroRpc;
	readonly cold: MoneroRpc;
	readonly daemon: MoneroDaemon;
	/** The hot wallet's address. */
	readonly hot: string;
}

export const moneroSigning: SigningFamily<NetworkOf<'monero'>> = {
	addresses: (_network, seed) => ({
		payInAddress: (index) => payInAddress(seed, index),
		hotAddress: () => hotAddress(seed),
	}),
	signer: (network, node, seed, configuration) => moneroSigner(network, moneroSigningNode(node, configuration), seed),
};

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function moneroSigner(
	network: NetworkOf<'monero'>,
	node: MoneroSigningNodeConfig,
	seed: Uint8Array,
): ChainSigner {
	const asset = nativeAsset(network.name);
	const wallet = moneroRpc(node.walletUrl, undefined, node.headers);
	const cold = moneroRpc(node.coldWalletUrl, undefined, node.headers);
	const daemon = moneroDaemon(moneroRpc(node.daemonUrl, undefined, node.headers), network.params.nettype[node.chain]);
	const hot = hotAddress(seed);
	const wallets: Wallets = { network, wallet, cold, daemon, hot };

	return {
		payInAddress: (index) => payInAddress(seed, index),

		hotAddress: () => hot,

		check: async () => [
			await checked(`cold wallet ${new URL(node.coldWalletUrl).host}`, async () => {
				await requireColdWallet(cold, hot);
				return [true, "its address is the hot wallet's, and it can sign"];
			}),
		],

		finalAmount: (refs, isFinal) => finalAmount(wallet, daemon, { asset, refs, isFinal }),

		async hasPaid(txId, payment) {
			if (payment.asset !== asset || !TXID.test(txId)) return false;
			await refreshed(wallet, daemon);
			return hasPaid(wallet, txId, payment.to, payment.amount);
		},

		async paymentsTo(_asset, to, since) {
			await requireColdWallet(cold, hot);
			return paymentsTo({ wallet, cold, daemon }, to, since);
		},

		sign: (payment, state) => sign(wallets, payment, state),

		replace: (previous, payment, state) => {
			const replacing: Replacing = {
				wallet,
				daemon,
				coins: () => coins(wallets, state),
				pay: (from) => signInStep(wallets, payment, from),
				sign: () => sign(wallets, payment, state),
			};
			return replace(replacing, previous, payment, state);
		},

		takenBy: ({ raw }) => {
			const decoded = decodeRaw(raw);
			if (!decoded) throw new Error('not a signed set of a Monero wallet');
			return decoded.keyImages.map(reservationOf);
		},
	};
}

function requirePossible({ network, hot }: Wallets, { asset, to, amount }: Payment, isOurs: boolean): void {
	if (asset !== nativeAsset(network.name)) throw new PaymentImpossible(`${asset} is not on ${network.name}`);
	if (!isMoneroAddress(to)) throw new PaymentImpossible(`not an address of ${network.name}: ${to}`);
	if (amount <= 0n || amount > MAX_AMOUNT) throw new PaymentImpossible(`${amount} piconero cannot be paid at once`);
	// The wallet treats a payment to itself as change, so the order of that address would never see the deposit.
	if (isOurs || to === hot) throw new PaymentImpossible('the recipient is an address of this service');
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
	const { signedSet, tx, txId, keyImages, fee } = await signInStep(wallets, payment);
	const spends = keyImages.map(reservationOf);
	if (spends.some((coin) => state.spent.has(coin)))
		throw new ChainUnavailable('the view-only wallet proposed coins that are spent already');
	const named = [...keyImages];
	return { raw: encodeRaw({ txId, keyImages: named, shared: named, signedSet, tx }), txId, spends, fee };
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
