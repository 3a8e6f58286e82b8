/** Chooses the coins that pay for a payment: the largest first, so that transactions stay small. Pure. */
import { feeFor, spendingCost, virtualSize } from './fees.ts';
import type { UtxoParams } from './params.ts';

/** With this many inputs of either kind a transaction is far below the standard limit of 100 000 vB. */
export const MAX_INPUTS = 100;

export interface Chosen<C> {
	readonly coins: readonly C[];
	/** The network fee. Includes a remainder that is too small to be an output of its own. */
	readonly fee: bigint;
	/** The amount that returns to the hot wallet; 0 where there is no change output. */
	readonly change: bigint;
}

interface Target {
	readonly amount: bigint;
	readonly rate: bigint;
	readonly recipientScript: Uint8Array;
	readonly changeScript: Uint8Array;
}

/**
 * Null when the coins do not suffice, or when more than `MAX_INPUTS` would be needed. Takes no more of `coins` than it
 * needs.
 */
export function chooseCoins<C extends { readonly amount: bigint }>(
	coins: Iterable<C>,
	{ amount, rate, recipientScript, changeScript }: Target,
	params: UtxoParams,
): Chosen<C> | null {
	const chosen: C[] = [];
	let total = 0n;
	for (const coin of coins) {
		// This coin costs more than it adds, and every later coin is smaller.
		if (coin.amount <= spendingCost(params, rate)) return null;
		chosen.push(coin);
		total += coin.amount;
		const fee = feeFor(params, rate, virtualSize(params, chosen.length, [recipientScript.length]));
		const lengths = [recipientScript.length, changeScript.length];
		const feeWithChange = feeFor(params, rate, virtualSize(params, chosen.length, lengths));
		const change = total - amount - feeWithChange;
		if (change >= params.dust) return { coins: chosen, fee: feeWithChange, change };
		if (total >= amount + fee) return { coins: chosen, fee: total - amount, change: 0n };
		if (chosen.length === MAX_INPUTS) return null;
	}
	return null;
}

/** Largest first; equal amounts in the order of their outpoints, so that the same coins give the same transaction. */
export function byAmount(
	a: { readonly amount: bigint; readonly outpoint: string },
	b: { readonly amount: bigint; readonly outpoint: string },
): number {
	if (a.amount !== b.amount) return a.amount > b.amount ? -1 : 1;
	return a.outpoint < b.outpoint ? -1 : 1;
}
