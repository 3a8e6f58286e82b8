/**
 * Judges a draft of the other judge, by this one's own node and coin book, and signs it. A draft is approved if this judge
 * could have made it: it spends coins of the shared wallet that are deep enough and reserved for nothing else, no more of
 * them than it needs, pays exactly the payment, and returns the rest to the shared hot wallet. The fee may be somewhat above
 * what the own node asks, because two nodes estimate differently. The transaction is then written again from its coins
 * and outputs, and must have the same bytes.
 */
import { equalBytes } from '@noble/curves/utils.js';
import { hex } from '@scure/base';
import { lesser, sumOf } from '../../money/units.ts';
import { PaymentImpossible, SigningBlocked } from '../errors.ts';
import type { Draft, Payment, SignedTransaction, SigningState } from '../signing-port.ts';
import { spendableSum } from './book/reads.ts';
import { MAX_INPUTS } from './coins.ts';
import { isLow, joinable } from './consolidation.ts';
import { keyOf } from './depth.ts';
import { feeFor, feeRate, virtualSize } from './fees.ts';
import { type Coin, draftCoins, type Wallet } from './own-coins.ts';
import { isSegwit } from './own-script.ts';
import { coinOf, partsOf, provenTransaction, withHalf } from './proof.ts';
import { requiredFee, requireFreeChange, takenWith } from './replace.ts';
import { termsOf } from './terms.ts';
import { draftOf, halfOf, joinedTransaction, type Output, type Unsigned, unsignedTransaction } from './transaction.ts';
import { type Outpoint, readTransaction, type Transaction } from './transaction-bytes.ts';
import { formOf } from './watching.ts';

/** A fee is approved up to so many times the rate of the own node. */
const RATE_TIMES = 3n;
/** A transaction is shorter than the bound of its size by so much at most: signatures are mostly 71 or 72 bytes long. */
const SHORTEST = 0.98;

/** As `ChainSigner.approve`. */
export async function approve(
	wallet: Wallet,
	{ raw, payment, previous }: Draft,
	state: SigningState,
): Promise<SignedTransaction & { readonly amount?: bigint }> {
	const { params, book } = wallet.watching;
	const { draft, half } = partsOf(raw);
	const { spends, outputs } = read(wallet, draft);
	if (previous) requireFreeChange(previous, state);
	const kept = previous ? spendsOf(wallet, previous) : [];
	const isSpent = new Set(spends.map(keyOf));
	// So at most one of the two confirms.
	if (!kept.every((coin) => isSpent.has(keyOf(coin))))
		throw new PaymentImpossible('the draft frees a coin of the version that it replaces');
	const coins = await draftCoins(wallet, spends, state, kept);
	const fee = sumOf(coins) - sumOf(outputs);
	if (fee < 0n) throw new PaymentImpossible('the draft pays more than its coins have');
	if (payment) await judgePayment(wallet, { coins, outputs, fee, previous, kept }, payment);
	else await judgeConsolidation(wallet, { coins, outputs, fee });
	const unsigned = unsignedTransaction(coins, outputs, params.replaceable);
	const own = draftOf(unsigned);
	if (own.raw !== draft) throw new PaymentImpossible('the draft is written otherwise than this judge writes it');
	const transaction = signed(wallet, unsigned, half);
	const next = { ...transaction, spends: coins.map(coinOf), fee };
	// The other judge may never make a transaction of it: then no mempool holds it, and nothing spends its change.
	if (wallet.role === 'signer') book.noteMade(next.txId, next.raw);
	else if (isSegwit(params.ownScript)) book.noteMade(own.txId, own.raw);
	return {
		...next,
		...(previous && { spends: takenWith(next, previous) }),
		...(!payment && { amount: sumOf(outputs) }),
	};
}

/** The signer joins both halves, and its journal then has the whole; the co-signer adds its own half to the draft. */
function signed({ role }: Wallet, unsigned: Unsigned, half: readonly Uint8Array[]) {
	if (role === 'signer') return joinedTransaction(unsigned, half);
	const { raw, txId } = draftOf(unsigned);
	return { raw: withHalf(raw, halfOf(unsigned)), txId };
}

/** @throws PaymentImpossible where it is no transaction */
function read({ watching: { params } }: Wallet, draft: string): Transaction {
	try {
		return readTransaction(hex.decode(draft), formOf(params));
	} catch (error) {
		throw new PaymentImpossible(`the draft is no transaction: ${String(error)}`);
	}
}

function spendsOf({ watching: { params } }: Wallet, { raw, txId }: SignedTransaction): readonly Outpoint[] {
	const version = provenTransaction(raw, txId, formOf(params));
	if (!version) throw new PaymentImpossible(`the bytes of ${txId} are not that transaction`);
	return version.spends;
}

interface Judged {
	readonly coins: readonly Coin[];
	readonly outputs: readonly Output[];
	/** Base units. */
	readonly fee: bigint;
}

interface JudgedPayment extends Judged {
	/** The version that it replaces, and what that one spends. */
	readonly previous: SignedTransaction | null;
	readonly kept: readonly Outpoint[];
}

/** @throws PaymentImpossible; SigningBlocked where the fee is too high by the rates of now */
async function judgePayment(wallet: Wallet, judged: JudgedPayment, payment: Payment): Promise<void> {
	const { params } = wallet.watching;
	const { coins, outputs, fee, kept } = judged;
	const { amount, recipientScript, changeScript } = termsOf(wallet, payment);
	const [paid, change, ...more] = outputs;
	if (paid?.amount !== amount || !equalBytes(paid.script, recipientScript))
		throw new PaymentImpossible('the draft does not pay what is owed');
	if (more.length > 0 || (change && (change.amount < params.dust || !equalBytes(change.script, changeScript))))
		throw new PaymentImpossible('the draft pays the rest elsewhere than to the hot wallet');
	if (coins.length > MAX_INPUTS) throw new PaymentImpossible('the draft spends too many coins');
	const most = await mostFee(wallet, judged, [recipientScript.length, changeScript.length]);
	// A remainder that is too small to be an output goes to the fee.
	const bound = lesser(params.maxFee, change ? most : most + params.dust);
	requireFee(fee, bound);
	const spare = sumOf(coins) - amount - bound;
	const isKept = new Set(kept.map(keyOf));
	if (coins.some((coin) => !isKept.has(coin.outpoint) && coin.amount <= spare))
		throw new PaymentImpossible('the draft spends more coins than it needs');
}

/** @throws PaymentImpossible where this judge would not join exactly these coins; SigningBlocked while fees are not low */
async function judgeConsolidation(wallet: Wallet, { coins, outputs, fee }: Judged): Promise<void> {
	const { book, params, sources, keeper, deepest } = wallet.watching;
	const { script } = wallet.keys.hot;
	const [joined, ...more] = outputs;
	if (!joined || more.length > 0 || !equalBytes(joined.script, script))
		throw new PaymentImpossible('the draft joins coins elsewhere than in the hot wallet');
	const rate = await sources.use((source) => feeRate(source, params));
	if (!isLow(rate, params)) throw new SigningBlocked('fees are not low enough to join coins');
	const held = spendableSum(book, (await keeper.current()).height - deepest + 1);
	const own = joinable(coins, { held, rate, hotScriptLength: script.length }, params);
	if (own?.coins.length !== coins.length) throw new PaymentImpossible('the draft joins coins that are not worth it');
	requireFee(fee, RATE_TIMES * own.fee);
}

function requireFee(fee: bigint, most: bigint): void {
	if (fee > most)
		throw new SigningBlocked(`the draft pays a fee of ${fee}, and ${most} is the most by this judge’s node`);
}

/** The highest fee of a payment with outputs of these lengths, base units. */
async function mostFee(
	{ watching: { params, sources } }: Wallet,
	{ coins, previous, kept }: JudgedPayment,
	lengths: readonly number[],
): Promise<bigint> {
	const { own, together } = await sources.use(async (source) => ({
		own: await feeRate(source, params),
		together: previous && (await source.pooled([previous.txId]))[0],
	}));
	const rate = lesser(params.maxFeeRate, RATE_TIMES * own);
	const size = virtualSize(params, coins.length, lengths);
	if (!previous) return feeFor(params, rate, size);
	const { fee } = previous;
	const virtualBytes = Math.floor(virtualSize(params, kept.length, lengths) * SHORTEST);
	const ancestors = together
		? { virtualBytes: Math.max(0, together.virtualBytes - virtualBytes), fee: together.fee - fee }
		: { virtualBytes: 0, fee: 0n };
	return requiredFee({ fee, virtualBytes, rate, ancestors }, size, params);
}
