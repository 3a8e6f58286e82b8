/**
 * Signs for Tron. Only the signer Worker creates one. It sees the chain through its own nodes. Stores nothing: the
 * caller passes in what earlier signatures still take from the hot wallet (reserved.ts). A signed transaction expires
 * by itself after 22 to 23 hours. A second one for the same payment is signed only once the first can be in no block
 * (`dead.ts`).
 */
import { hex } from '@scure/base';
import type { NetworkOf } from '../../catalog/networks.ts';
import { messageDigest, signMessage } from '../account-message.ts';
import { publicChild } from '../bip32.ts';
import type { NodeConfig } from '../configuration.ts';
import { InsufficientReserve, SigningBlocked } from '../errors.ts';
import type { Judges } from '../judge-keys.ts';
import { eachNode } from '../node-checks.ts';
import type { ReserveText } from '../reserve-text.ts';
import type {
	ChainSigner,
	Draft,
	SignedTransaction,
	SigningFamily,
	SigningState,
	Sweep,
	TokenReturn,
} from '../signing-port.ts';
import { accountOf, tokenBalance } from './accounts.ts';
import { requireDead } from './dead.ts';
import { tipsOf } from './depth.ts';
import { type Prices, pricesOf, sweepEnergy, TOKEN_TRANSFER_BYTES } from './fees.ts';
import { finalAmount } from './final-amount.ts';
import { addressesOf, hotKey, judgeKeys, ownAddresses, payInAddress, payInKey, type TronKey } from './keys.ts';
import { type TronNode, useNodes } from './node.ts';
import { contractOf, tronParams } from './params.ts';
import { approve, coinPayment, type Guard, guardCheck, pay, signWith, tokenPayment, type Wallet } from './pay.ts';
import { hasPaid, sentPayments } from './payments-to.ts';
import { isSignedBy } from './permissions.ts';
import { coinSweepFee } from './sweep.ts';
import { type Frame, frameOn } from './transaction.ts';

export const tronSigning: SigningFamily<NetworkOf<'tron'>> = {
	addresses: ownAddresses,
	judgeKeys,
	otherAddresses: addressesOf,
	signer: (network, node, seed, { judges }) => tronSigner(network, node, seed, judges),
};

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function tronSigner(
	network: NetworkOf<'tron'>,
	node: NodeConfig,
	seed: Uint8Array,
	judges?: Judges,
): ChainSigner {
	const own = hotKey(seed);
	const theirs = judges && addressesOf(judges.other);
	const ours = judges?.role === 'cosigner' ? theirs : undefined;
	const hot = ours ? { ...own, address: ours.hotAddress() } : own;
	const guard: Guard | null =
		judges?.isCosigned && theirs
			? { judges, otherKey: publicChild(judges.other.hot, 0), keys: [own.address, theirs.hotAddress()] }
			: null;
	const params = tronParams(network, hot.address);
	const use = useNodes(params, node);
	const wallet: Wallet = { hot, guard, inBlocks: new Set() };

	return {
		get look() {
			return { paymentsTo: sentPayments(use, params, node.chain) };
		},
		payInAddress: (index) => ours?.payInAddress(index) ?? payInAddress(seed, index),
		hotAddress: () => hot.address,
		finalAmount: (refs, isFinal) => use((node) => finalAmount(node, refs, isFinal)),
		hasPaid: (txId, payment) => use((node) => hasPaid(node, txId, payment)),
		sign: (payment, state) => use((node) => pay(node, wallet, { payment }, state)),
		/** Nothing makes two of its transactions exclude each other, so the earlier one must be dead. */
		replace: (previous, payment, state) =>
			use(async (node) => {
				await requireDead(node, previous);
				const next = await pay(node, wallet, { payment }, state);
				return { ...next, spends: [...previous.spends, ...next.spends] };
			}),

		...(guard
			? {
					approve: (draft: Draft, state: SigningState) =>
						use((node) => approve(node, { ...wallet, guard }, draft, state)),
					check: () => eachNode(node, async (one, host) => [await guardCheck(params, one, host, { hot, guard })]),
				}
			: {}),

		async signReserve(text, index, half) {
			if (index === null) return signHot(text, { hot, guard }, half);
			// Pay-in addresses are the signer's alone.
			return ours ? null : signMessage('TRON', text, payInKey(seed, index).privateKey);
		},
		sweep: (sweep) => use((node) => sweepAll(node, wallet, payInKey(seed, sweep.index), sweep)),
		returnToken: (what) => use((node) => returnToken(node, payInKey(seed, what.index), what)),
	};
}

/** As `ChainSigner.signReserve`: of the account's permissions both keys, the signer's first. */
function signHot(text: ReserveText, { hot, guard }: Pick<Wallet, 'hot' | 'guard'>, half?: string): string | null {
	const own = signMessage('TRON', text, hot.privateKey);
	if (guard?.judges.role !== 'signer') return own;
	if (half === undefined) return null;
	const theirs = half.replace(/^0x/, '');
	if (!isSignedBy(messageDigest('TRON', text), hex.decode(theirs), guard.otherKey))
		throw new SigningBlocked('the signature of the co-signer does not hold');
	return `${own}${theirs}`;
}

async function sweepAll(node: TronNode, { hot }: Wallet, key: TronKey, { id, asset }: Sweep) {
	const { head, solid } = await tipsOf(node);
	const frame = frameOn(solid, head.timestamp, id);
	const { balance } = await accountOf(node, key.address);
	const transfer = { from: key.address, to: hot.address };
	if (asset === node.params.native) {
		const amount = balance - coinSweepFee(await pricesOf(node), { ...transfer, amount: balance });
		if (amount <= 0n) throw new InsufficientReserve(`${key.address} has ${balance} sun`);
		return { ...signWith(key, await coinPayment(node, { ...transfer, amount }, frame)), amount };
	}
	return allTokens(node, key, { contract: contractOf(node.params, asset), to: hot.address, balance }, frame);
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
