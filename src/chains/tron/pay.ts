/**
 * Payments from the hot wallet, and the second judge's word on them. A transaction is made in one way alone: the judge that
 * approves a draft makes it again, from what its maker chose, and compares the bytes.
 */
import { hex } from '@scure/base';
import type { AssetId } from '../../catalog/assets.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { signatureOf } from '../account-message.ts';
import type { NodeConfig } from '../configuration.ts';
import { InsufficientReserve, PaymentImpossible } from '../errors.ts';
import type { Judges } from '../judge-keys.ts';
import { checked } from '../node-checks.ts';
import type { NetworkCheck } from '../port.ts';
import { reservedOf } from '../reservations.ts';
import type { Draft, Payment, SignedTransaction, SigningState } from '../signing-port.ts';
import { accountOf, heldBy, simulate } from './accounts.ts';
import { hashOf, isTronAddress } from './address.ts';
import { requireDead } from './dead.ts';
import { tipsOf } from './depth.ts';
import { type Prices, payoutLimit, pricesOf, transferFee } from './fees.ts';
import type { TronKey } from './keys.ts';
import { type TronNode, useNodes } from './node.ts';
import { contractOf, type TronParams } from './params.ts';
import { isSignedBy, permissionProblem, requirePermissions } from './permissions.ts';
import { recipientProblem } from './recipient.ts';
import { openReservations } from './reserved.ts';
import {
	bandwidthOf,
	chosenIn,
	type Frame,
	frameOn,
	JUDGES_PERMISSION,
	partsOfSigned,
	rawTokenTransfer,
	rawTransfer,
	signedTransaction,
	type TokenTransfer,
	type Transfer,
	transactionId,
} from './transaction.ts';

/** A complete transaction without its signature. */
interface Unsigned {
	readonly raw: Uint8Array;
	/** Sun, at most. */
	readonly fee: bigint;
}

/** The hot wallet's account, and who signs for it. */
export interface Guard {
	readonly judges: Judges;
	/** The other judge's public key, compressed. */
	readonly otherKey: Uint8Array;
	/** The addresses of both keys. */
	readonly keys: readonly string[];
}

export interface Wallet {
	/** The address of the account, and this judge's key: the account's own where one judge signs alone. */
	readonly hot: TronKey;
	/** Null where one judge signs alone. */
	readonly guard: Guard | null;
	/** Transactions of its own that were seen in blocks. */
	readonly inBlocks: Set<string>;
}

/** The wallet's balance minus what is signed and not in a block yet. */
async function available(
	node: TronNode,
	{ hot, inBlocks }: Wallet,
	state: SigningState,
	now: number,
): Promise<(asset: AssetId) => Promise<bigint>> {
	const pending = await openReservations(node, state, inBlocks, now);
	return async (asset) =>
		(await heldBy(node, asset, hot.address)) - reservedOf(pending, asset, asset === node.params.native);
}

interface Paying {
	readonly payment: Payment;
	/** The choices of a draft's maker; absent where they are made here. */
	readonly chosen?: ReturnType<typeof chosenIn>;
}

/** Makes the payment; where two judges sign, a draft without signatures. */
export async function pay(
	node: TronNode,
	wallet: Wallet,
	{ payment, chosen }: Paying,
	state: SigningState,
): Promise<SignedTransaction> {
	const { params } = node;
	const { hot, guard } = wallet;
	if (guard) await requirePermissions(node, hot.address, guard.keys);
	requirePayable(payment, params, hot.address);
	const problem = await recipientProblem(node, payment.to, payment.asset === params.native);
	if (problem) throw new PaymentImpossible(problem);
	const { head, solid } = await tipsOf(node);
	const free = await available(node, wallet, state, head.timestamp);
	const { asset, to, amount } = payment;
	if ((await free(asset)) < amount) throw shortOf(payment, await free(asset));
	const made = chosen?.frame ?? frameOn(solid, head.timestamp, payment.id);
	if (made.expiration > head.timestamp + DAY_MILLISECONDS) throw new PaymentImpossible('it is valid for too long');
	const frame = guard ? { ...made, permission: JUDGES_PERMISSION } : made;
	const transfer = { from: hot.address, to, amount };
	const limitOf = chosen ? chosenLimit(chosen.feeLimit) : payoutLimit;
	const unsigned =
		asset === params.native
			? await coinPayment(node, transfer, frame)
			: await tokenPayment(node, { ...transfer, contract: contractOf(params, asset) }, frame, limitOf);
	const coins = await free(params.native);
	if (coins < unsigned.fee + (asset === params.native ? amount : 0n))
		throw new InsufficientReserve(`the hot wallet has ${coins} sun, but the fee is up to ${unsigned.fee}`);
	const signed = guard ? draftOf(unsigned) : signWith(hot, unsigned);
	const { txId } = signed;
	const { expiration } = frame;
	return { ...signed, spends: [{ kind: 'until time', txId, asset, amount, fee: unsigned.fee, expiration }] };
}

/** Another node may have other prices: the energy may cost twice what this one asks. */
const MOST_TIMES = 2n;

const chosenLimit =
	(feeLimit: bigint) =>
	(prices: Prices, energy: bigint): bigint => {
		if (feeLimit > MOST_TIMES * payoutLimit(prices, energy))
			throw new PaymentImpossible(`its energy may cost ${feeLimit} sun, more than twice what it takes`);
		return feeLimit;
	};

/** Makes the payment again with what the draft's maker chose: it has to be the same bytes. */
export async function approve(
	node: TronNode,
	wallet: Wallet & { readonly guard: Guard },
	{ raw: text, payment, previous }: Draft,
	state: SigningState,
): Promise<SignedTransaction> {
	const { hot, guard } = wallet;
	const [parts, chosen] = [partsOfSigned(text), chosenIn(text)];
	if (!payment || !parts || !chosen) throw new PaymentImpossible('the draft cannot be read');
	if (previous) await requireDead(node, previous);
	const made = await pay(node, wallet, { payment, chosen }, state);
	if (made.txId !== transactionId(parts.raw)) throw new PaymentImpossible('the draft is not that payment');
	const digest = hex.decode(made.txId);
	const [theirs] = parts.signatures;
	const own = signatureOf(digest, hot.privateKey);
	const spends = previous ? [...previous.spends, ...made.spends] : made.spends;
	if (guard.judges.role === 'cosigner') return { ...made, spends, raw: signedTransaction(parts.raw, own) };
	if (!theirs || !isSignedBy(digest, theirs, guard.otherKey))
		throw new PaymentImpossible('the co-signer has not signed the draft');
	return { ...made, spends, raw: signedTransaction(parts.raw, own, theirs) };
}

function draftOf({ raw, fee }: Unsigned): SignedTransaction {
	return { raw: signedTransaction(raw), txId: transactionId(raw), spends: [], fee };
}

/** Does the account need both keys, by this node? */
export function guardCheck(
	params: TronParams,
	nodes: NodeConfig,
	host: string,
	{ hot, guard }: Pick<Wallet, 'hot'> & { readonly guard: Guard },
): Promise<NetworkCheck> {
	return checked(`node ${host}: both judges`, () =>
		useNodes(
			params,
			nodes,
		)(async (node) => {
			const problem = await permissionProblem(node, hot.address, guard.keys);
			return [problem === null, problem ?? `${hot.address} pays nothing without both`];
		}),
	);
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

/** The cost of a second signature, where the transaction has one. */
const secondOf = ({ permission }: Frame, { second }: Prices): bigint =>
	permission === JUDGES_PERMISSION ? second : 0n;

export async function coinPayment(node: TronNode, transfer: Transfer, frame: Frame): Promise<Unsigned> {
	const { exists } = await accountOf(node, transfer.to);
	const raw = rawTransfer(transfer, frame);
	const prices = await pricesOf(node);
	return { raw, fee: transferFee(prices, exists, BigInt(bandwidthOf(raw))) + secondOf(frame, prices) };
}

/**
 * Simulates first, because a transfer that reverts would burn its fee. `limitOf`: the most that the simulated energy
 * may cost.
 */
export async function tokenPayment(
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
	return { raw, fee: feeLimit + BigInt(bandwidthOf(raw)) * prices.bandwidth + secondOf(frame, prices) };
}

export function signWith(key: TronKey, unsigned: Unsigned): SignedTransaction {
	const draft = draftOf(unsigned);
	const signature = signatureOf(hex.decode(draft.txId), key.privateKey);
	return { ...draft, raw: signedTransaction(unsigned.raw, signature) };
}
