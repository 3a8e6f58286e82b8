/**
 * A fee bump (BIP125): reads from its bytes what the earlier version of the payment paid and spent, and computes what
 * the next version must pay. Uses no keys. Pure.
 */
import { equalBytes } from '@noble/curves/utils.js';
import { greater, sumOf } from '../../money/units.ts';
import { PaymentImpossible } from '../errors.ts';
import { distinctReservations, type Reservation } from '../reservations.ts';
import type { SignedTransaction, SigningState } from '../signing-port.ts';
import { type Chosen, MAX_INPUTS } from './coins.ts';
import { feeFor, spendingCost, virtualSize } from './fees.ts';
import type { UtxoParams } from './params.ts';
import { coinOf, provenTransaction } from './proof.ts';
import type { Terms } from './terms.ts';
import type { Form, Outpoint } from './transaction-bytes.ts';

/** Weight units of one virtual byte, and of one non-witness byte; a witness byte has one (BIP141). */
const WEIGHT_PER_VB = 4;

export interface Version {
	readonly spends: readonly Outpoint[];
	/** The sum of its outputs, base units. */
	readonly paid: bigint;
	readonly virtualBytes: number;
}

/** @throws PaymentImpossible unless it pays exactly this payment and returns the rest to us. */
export function versionOf(
	previous: SignedTransaction,
	{ amount, recipientScript, changeScript }: Terms,
	form: Form,
): Version {
	const decoded = provenTransaction(previous.raw, previous.txId, form);
	const [payment, change, ...rest] = decoded?.outputs ?? [];
	const isPayment = payment?.amount === amount && equalBytes(payment.script, recipientScript);
	const isChange = change === undefined || equalBytes(change.script, changeScript);
	if (!decoded || !isPayment || !isChange || rest.length > 0)
		throw new PaymentImpossible(`${previous.txId} is not this payment`);
	const weight = decoded.strippedBytes * (WEIGHT_PER_VB - 1) + decoded.bytes.length;
	return {
		spends: decoded.spends,
		paid: amount + (change?.amount ?? 0n),
		virtualBytes: Math.ceil(weight / WEIGHT_PER_VB),
	};
}

/**
 * A bump would drop a later payment that spends the change. Bump the later payment instead: miners take it together with its
 * ancestors. Payment and change are the only outputs. @throws PaymentImpossible
 */
export function requireFreeChange({ txId }: SignedTransaction, { spent }: SigningState): void {
	if ([0, 1].some((vout) => spent.has(coinOf({ txId, vout }))))
		throw new PaymentImpossible('a later payment of ours spends its change');
}

/** The reservations of the next version: those of the earlier one, and its own. Nothing may spend the change of either yet. */
export function takenWith(next: SignedTransaction, previous: SignedTransaction): Reservation[] {
	const versions = [previous.txId, next.txId].map((txId): Reservation => ({ kind: 'version', txId }));
	return distinctReservations([...previous.spends, ...next.spends, ...versions]);
}

interface Replacing {
	/** Fee of the earlier version, base units. */
	readonly fee: bigint;
	readonly virtualBytes: number;
	/** Current rate, base units per 1000 vB. */
	readonly rate: bigint;
	/**
	 * Unconfirmed transactions that it depends on. Miners take all of them or none, so the bump also pays what they lack.
	 */
	readonly ancestors: { readonly virtualBytes: number; readonly fee: bigint };
}

export type FeeBump = Terms & Replacing;

/**
 * Keeps all of `coins`. The change pays the higher fee; where it does not suffice, coins from `more` are added. Null
 * where no fee up to the network's ceiling is enough.
 */
export function bumpedFee<C extends { readonly amount: bigint }>(
	coins: readonly C[],
	more: Iterable<C>,
	bump: FeeBump,
	params: UtxoParams,
): Chosen<C> | null {
	const { amount, recipientScript, changeScript, rate } = bump;
	const chosen = [...coins];
	let total = sumOf(chosen);
	const rest = more[Symbol.iterator]();
	while (chosen.length <= MAX_INPUTS) {
		const lengths = [recipientScript.length, changeScript.length];
		const withChange = requiredFee(bump, virtualSize(params, chosen.length, lengths), params);
		const change = total - amount - withChange;
		if (change >= params.dust) return withChange <= params.maxFee ? { coins: chosen, fee: withChange, change } : null;
		const fee = total - amount;
		const alone = requiredFee(bump, virtualSize(params, chosen.length, [recipientScript.length]), params);
		if (fee >= alone && fee <= params.maxFee) return { coins: chosen, fee, change: 0n };
		const next = rest.next();
		if (next.done || next.value.amount <= spendingCost(params, rate)) return null;
		chosen.push(next.value);
		total += next.value.amount;
	}
	return null;
}

/**
 * The largest of three: the current rate for everything that must confirm together; the earlier fee plus the relay fee
 * for the new size (BIP125; our lowest rate is not below the relay rate); a higher rate than before (Core). Rounded up.
 */
export function requiredFee(
	{ fee, virtualBytes, rate, ancestors }: Replacing,
	size: number,
	params: UtxoParams,
): bigint {
	const present = feeFor(params, rate, size + ancestors.virtualBytes) - ancestors.fee;
	const incremental = fee + feeFor(params, params.minFeeRate, size);
	const sameRate = (fee * BigInt(size)) / BigInt(virtualBytes) + 1n;
	return greater(present, incremental, sameRate);
}
