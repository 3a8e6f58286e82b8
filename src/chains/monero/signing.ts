/**
 * Signs for Monero. Only the signer Worker creates one. The view-only wallet, the same that the API Worker submits
 * through, proposes a transaction. The cold wallet signs it only if it contains nothing but the payment (`policy.ts`).
 * The signer's own monerod must also confirm that deposits are final. Coins that signed transactions spend are frozen
 * in the view-only wallet, so that it proposes other coins. Change can be spent again after ten blocks, so a wallet
 * with few coins makes only few payments at a time.
 */
import * as z from 'zod/mini';
import { nativeAsset } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import { ChainUnavailable, InsufficientReserve, PaymentImpossible } from '../errors.ts';
import type { Reservation } from '../reservations.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { ChainSigner, Payment, SigningFamily } from '../signing-port.ts';
import { isMoneroAddress } from './address.ts';
import { encodeRaw } from './broadcast.ts';
import { checked } from './check.ts';
import {
	type ColdSignature,
	exchangeKeyImages,
	OutOfStep,
	requireColdWallet,
	signAllowed,
	withKeyImages,
} from './cold.ts';
import { moneroDaemon } from './daemon.ts';
import { feeLimit } from './fees.ts';
import { finalAmount } from './final-amount.ts';
import { hotAddress, payInAddress } from './keys.ts';
import { moneroRpc } from './node.ts';
import { type MoneroSigningNodeConfig, moneroSigningNode } from './node-config.ts';
import type { Allowed } from './policy.ts';
import { NOTHING, TXID } from './shapes.ts';
import { ACCOUNT } from './subaddress-index.ts';
import { hasPaid, refreshed } from './wallet.ts';

/** monero-wallet-rpc's codes. */
const TX_NOT_POSSIBLE = -16;
const NOT_ENOUGH_MONEY = -17;
const TX_TOO_LARGE = -18;
const NOT_ENOUGH_UNLOCKED_MONEY = -37;
const NOT_ENOUGH: readonly number[] = [TX_NOT_POSSIBLE, NOT_ENOUGH_MONEY, NOT_ENOUGH_UNLOCKED_MONEY];
/** `normal` among the wallet's priorities, the same that estimates use. */
const PRIORITY = 2;
/** JSON numbers above this are not exact; 9 007 XMR. */
const MAX_AMOUNT = BigInt(Number.MAX_SAFE_INTEGER);

const UNSIGNED = z.lazy(() => z.object({ unsigned_txset: z.string().check(z.minLength(1)) }));

const reservationOf = (keyImage: string): Reservation => ({ kind: 'key image', keyImage });

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

	function requirePossible({ to, amount, ...payment }: Payment, isOurs: boolean): void {
		if (payment.asset !== asset) throw new PaymentImpossible(`${payment.asset} is not on ${network.name}`);
		if (!isMoneroAddress(to)) throw new PaymentImpossible(`not an address of ${network.name}: ${to}`);
		if (amount <= 0n || amount > MAX_AMOUNT) throw new PaymentImpossible(`${amount} piconero cannot be paid at once`);
		// The wallet treats a payment to itself as change, so the order of that address would never see the deposit.
		if (isOurs || to === hot) throw new PaymentImpossible('the recipient is an address of this service');
	}

	async function proposal({ to, amount }: Payment): Promise<string> {
		const params = {
			destinations: [{ address: to, amount: Number(amount) }],
			account_index: ACCOUNT,
			priority: PRIORITY,
			do_not_relay: true,
		};
		try {
			return (await wallet.call(UNSIGNED, 'transfer', params)).unsigned_txset;
		} catch (error) {
			if (!(error instanceof RpcError)) throw error;
			if (NOT_ENOUGH.includes(error.code))
				throw new InsufficientReserve(`${network.name} cannot pay ${amount} piconero now: ${error.message}`);
			if (error.code === TX_TOO_LARGE)
				throw new PaymentImpossible('too many small coins for one transaction: send the larger part of them to itself');
			throw new ChainUnavailable(`${error.code} ${error.message}`);
		}
	}

	return {
		payInAddress: (index) => payInAddress(seed, index),

		hotAddress: () => hot,

		check: async () => [
			await checked(`cold wallet ${new URL(node.coldWalletUrl).host}`, async () => {
				await requireColdWallet(cold, hot);
				return "its address is the hot wallet's, and it can sign";
			}),
		],

		finalAmount: (refs, isFinal) => finalAmount(wallet, daemon, asset, refs, isFinal),

		async hasPaid(txId, payment) {
			if (payment.asset !== asset || !TXID.test(txId)) return false;
			await refreshed(wallet, daemon);
			return hasPaid(wallet, txId, payment.to, payment.amount);
		},

		async sign(payment, state) {
			requirePossible(payment, state.indexesOf([payment.to]).size > 0);
			await requireColdWallet(cold, hot);
			await refreshed(wallet, daemon);
			for (const { key_image, frozen } of await withKeyImages(wallet, cold)) {
				if (!frozen && state.spent.has(reservationOf(key_image))) await frozenCoin(key_image);
			}
			const { to, amount } = payment;
			const allowed = { to, amount, changeAddress: hot, fee: await feeLimit(daemon, amount) };
			const { signedSet, txId, keyImages, fee } = await signInStep(payment, allowed);
			const spends = keyImages.map(reservationOf);
			if (spends.some((coin) => state.spent.has(coin)))
				throw new ChainUnavailable('the view-only wallet proposed coins that are spent already');
			return { raw: encodeRaw({ txId, keyImages: [...keyImages], signedSet }), txId, spends, fee };
		},
	};

	/**
	 * A cold wallet that was created again, or did not save the outputs that it received, can sign once it has them all.
	 */
	async function signInStep(payment: Payment, allowed: Allowed): Promise<ColdSignature> {
		try {
			return await signAllowed(cold, await proposal(payment), allowed);
		} catch (error) {
			if (!(error instanceof OutOfStep)) throw error;
		}
		try {
			await exchangeKeyImages(wallet, cold, true);
			return await signAllowed(cold, await proposal(payment), allowed);
		} catch (error) {
			if (!(error instanceof OutOfStep || error instanceof RpcError)) throw error;
			throw new ChainUnavailable(`the cold wallet cannot sign yet: ${error.message}`);
		}
	}

	async function frozenCoin(keyImage: string): Promise<void> {
		try {
			await wallet.call(NOTHING, 'freeze', { key_image: keyImage });
		} catch (error) {
			throw error instanceof RpcError ? new ChainUnavailable(`${error.code} ${error.message}`) : error;
		}
	}
}
