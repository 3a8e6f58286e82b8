/**
 * Signs for Tron. Only the signer Worker creates one. It sees the chain through its own nodes. Stores nothing: the
 * caller passes in what earlier signatures still take from the hot wallet (reserved.ts). A signed transaction expires
 * by itself after 22 to 23 hours. A second one for the same payment is signed only once the first can be in no block
 * (`dead.ts`).
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { InsufficientReserve, PaymentImpossible } from '../errors.ts';
import { reservedOf } from '../reservations.ts';
import type {
	ChainSigner,
	Payment,
	SignedTransaction,
	SigningFamily,
	SigningState,
	Sweep,
	TokenReturn,
} from '../signing-port.ts';
import { accountOf, heldBy, simulate, tokenBalance } from './accounts.ts';
import { hashOf, isTronAddress } from './address.ts';
import { requireDead } from './dead.ts';
import { tipsOf } from './depth.ts';
import { type Prices, payoutLimit, pricesOf, sweepEnergy, TOKEN_TRANSFER_BYTES, transferFee } from './fees.ts';
import { finalAmount } from './final-amount.ts';
import { hotKey, payInAddress, payInKey, type TronKey } from './keys.ts';
import { type TronNode, useNodes } from './node.ts';
import { contractOf, type TronParams, tronParams } from './params.ts';
import { hasPaid, sentPayments } from './payments-to.ts';
import { recipientProblem } from './recipient.ts';
import { openReservations } from './reserved.ts';
import { coinSweepFee } from './sweep.ts';
import {
	bandwidthOf,
	type Frame,
	frameOn,
	rawTokenTransfer,
	rawTransfer,
	signedTransaction,
	type TokenTransfer,
	type Transfer,
	transactionId,
} from './transaction.ts';

/** The recovery byte is counted from here (Ethereum's yellow paper, appendix F). */
const RECOVERY_BASE = 27;

/** A complete transaction without its signature. */
interface Unsigned {
	readonly raw: Uint8Array;
	/** Sun, at most. */
	readonly fee: bigint;
}

interface Wallet {
	readonly hot: TronKey;
	readonly params: TronParams;
	/** Transactions of its own that were seen in blocks. */
	readonly inBlocks: Set<string>;
}

export const tronSigning: SigningFamily<NetworkOf<'tron'>> = {
	addresses: (_network, seed) => ({
		payInAddress: (index) => payInAddress(seed, index),
		hotAddress: () => hotKey(seed).address,
	}),
	signer: tronSigner,
};

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function tronSigner(network: NetworkOf<'tron'>, node: NodeConfig, seed: Uint8Array): ChainSigner {
	const hot = hotKey(seed);
	const params = tronParams(network, hot.address);
	const use = useNodes(network, node);
	const wallet: Wallet = { hot, params, inBlocks: new Set() };

	return {
		get look() {
			return { paymentsTo: sentPayments(use, params, node.chain, hot.address) };
		},

		payInAddress: (index) => payInAddress(seed, index),

		hotAddress: () => hot.address,

		finalAmount: (refs, isFinal) => use((node) => finalAmount(node, params, refs, isFinal)),

		hasPaid: (txId, payment) => use((node) => hasPaid(node, params, { hotAddress: hot.address, txId, payment })),

		sign: (payment, state) => use((node) => pay(node, wallet, payment, state)),

		/** Nothing makes two of its transactions exclude each other, so the earlier one must be dead. */
		replace: (previous, payment, state) =>
			use(async (node) => {
				await requireDead(node, previous);
				const next = await pay(node, wallet, payment, state);
				return { ...next, spends: [...previous.spends, ...next.spends] };
			}),

		sweep: (sweep) => use((node) => sweepAll(node, wallet, payInKey(seed, sweep.index), sweep)),

		returnToken: (what) => use((node) => returnToken(node, payInKey(seed, what.index), what)),
	};
}

/** The wallet's balance minus what is signed and not in a block yet. */
async function available(
	node: TronNode,
	{ hot, params, inBlocks }: Wallet,
	state: SigningState,
	now: number,
): Promise<(asset: AssetId) => Promise<bigint>> {
	const pending = await openReservations(node, state, inBlocks, now);
	return async (asset) =>
		(await heldBy(node, params, asset, hot.address)) - reservedOf(pending, asset, asset === params.native);
}

async function pay(node: TronNode, wallet: Wallet, payment: Payment, state: SigningState): Promise<SignedTransaction> {
	const { hot, params } = wallet;
	requirePayable(payment, params, hot.address);
	const problem = await recipientProblem(node, payment.to, payment.asset === params.native);
	if (problem) throw new PaymentImpossible(problem);
	const { head, solid } = await tipsOf(node);
	const free = await available(node, wallet, state, head.timestamp);
	const { asset, to, amount } = payment;
	if ((await free(asset)) < amount) throw shortOf(payment, await free(asset));
	const frame = frameOn(solid, head.timestamp, payment.id);
	const transfer = { from: hot.address, to, amount };
	const unsigned =
		asset === params.native
			? await coinPayment(node, transfer, frame)
			: await tokenPayment(node, { ...transfer, contract: contractOf(params, asset) }, frame, payoutLimit);
	const coins = await free(params.native);
	if (coins < unsigned.fee + (asset === params.native ? amount : 0n))
		throw new InsufficientReserve(`the hot wallet has ${coins} sun, but the fee is up to ${unsigned.fee}`);
	const signed = signWith(hot, unsigned);
	const { txId } = signed;
	const { expiration } = frame;
	return { ...signed, spends: [{ kind: 'until time', txId, asset, amount, fee: unsigned.fee, expiration }] };
}

async function sweepAll(node: TronNode, { hot, params }: Wallet, key: TronKey, { id, asset }: Sweep) {
	const { head, solid } = await tipsOf(node);
	const frame = frameOn(solid, head.timestamp, id);
	const { balance } = await accountOf(node, key.address);
	const transfer = { from: key.address, to: hot.address };
	if (asset === params.native) {
		const amount = balance - coinSweepFee(await pricesOf(node), { ...transfer, amount: balance });
		if (amount <= 0n) throw new InsufficientReserve(`${key.address} has ${balance} sun`);
		return { ...signWith(key, await coinPayment(node, { ...transfer, amount }, frame)), amount };
	}
	return allTokens(node, key, { contract: contractOf(params, asset), to: hot.address, balance }, frame);
}

async function returnToken(node: TronNode, key: TronKey, { id, token, to }: TokenReturn) {
	const { head, solid } = await tipsOf(node);
	const { balance } = await accountOf(node, key.address);
	return allTokens(node, key, { contract: token, to, balance }, frameOn(solid, head.timestamp, id));
}

/** `balance`: sun at the key's address, which pays. */
async function allTokens(
	node: TronNode,
	key: TronKey,
	{ contract, to, balance }: { readonly contract: string; readonly to: string; readonly balance: bigint },
	frame: Frame,
): Promise<SignedTransaction & { readonly amount: bigint }> {
	const amount = await tokenBalance(node, contract, key.address);
	if (amount === 0n) throw new InsufficientReserve(`${key.address} has nothing of ${contract}`);
	const limit = (prices: Prices, energy: bigint): bigint => {
		const remainder = balance - TOKEN_TRANSFER_BYTES * prices.bandwidth;
		const { needed, wanted } = sweepEnergy(prices, energy);
		if (remainder < needed)
			throw new InsufficientReserve(`${key.address} has ${balance} sun, but the energy alone costs ${needed}`);
		if (remainder >= wanted) return wanted;
		return remainder;
	};
	const unsigned = await tokenPayment(node, { from: key.address, to, contract, amount }, frame, limit);
	return { ...signWith(key, unsigned), amount };
}

function requirePayable({ asset, to, amount }: Payment, params: TronParams, hotAddress: string): void {
	if (asset !== params.native && ![...params.tokens.values()].includes(asset))
		throw new PaymentImpossible(`${asset} is not on Tron`);
	if (!isTronAddress(to)) throw new PaymentImpossible(`not an address: ${to}`);
	// java-tron refuses a payment to oneself, and it would pay nobody.
	if (to === hotAddress) throw new PaymentImpossible('the hot wallet cannot pay itself');
	if (params.tokens.has(hashOf(to)))
		throw new PaymentImpossible(`${to} is the contract of a token: coins sent there are lost`);
	if (amount <= 0n) throw new PaymentImpossible(`nothing to pay: ${amount}`);
}

const shortOf = ({ asset, amount }: Payment, available: bigint): InsufficientReserve =>
	new InsufficientReserve(`the hot wallet cannot pay ${amount} base units of ${asset}: it has ${available} to spend`);

async function coinPayment(node: TronNode, transfer: Transfer, frame: Frame): Promise<Unsigned> {
	const { exists } = await accountOf(node, transfer.to);
	const raw = rawTransfer(transfer, frame);
	return { raw, fee: transferFee(await pricesOf(node), exists, BigInt(bandwidthOf(raw))) };
}

/**
 * Simulates first, because a transfer that reverts would burn its fee. `limitOf`: the most that the simulated energy
 * may cost.
 */
async function tokenPayment(
	node: TronNode,
	transfer: Omit<TokenTransfer, 'feeLimit'>,
	frame: Frame,
	limitOf: (prices: Prices, energy: bigint) => bigint,
): Promise<Unsigned> {
	const outcome = await simulate(node, transfer);
	if ('reverted' in outcome) throw new PaymentImpossible(`paying ${transfer.to} fails: ${outcome.reverted}`);
	const prices = await pricesOf(node);
	const feeLimit = limitOf(prices, outcome.energy);
	const raw = rawTokenTransfer({ ...transfer, feeLimit }, frame);
	return { raw, fee: feeLimit + BigInt(bandwidthOf(raw)) * prices.bandwidth };
}

function signWith(key: TronKey, { raw, fee }: Unsigned): SignedTransaction {
	const txId = transactionId(raw);
	const [recovery = 0, ...rs] = secp256k1.sign(hex.decode(txId), key.privateKey, {
		prehash: false,
		format: 'recovered',
	});
	const signature = Uint8Array.of(...rs, recovery + RECOVERY_BASE);
	return { raw: signedTransaction(raw, signature), txId, spends: [], fee };
}
