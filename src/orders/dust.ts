/**
 * Dust (book: contract, "Orders"): a deposit too small to disturb an order. The yardstick is fixed when the order is made.
 * Alone, dust changes no status; with a deposit that is none it is part of the sum. Pure.
 */

const A_TENTH = 10n;

/**
 * Base units: a deposit of fewer is dust. `fee`: what a payment of the asset costs now. Never a tenth or more of what the
 * order asks for, so that no order is made of dust.
 */
export function dustBelow(fee: bigint, asked: bigint): bigint {
	const tenth = (asked + A_TENTH - 1n) / A_TENTH;
	return fee < tenth ? fee : tenth;
}

/** All of them where one is no dust; else none. */
export const countedTogether = <Deposit extends { readonly dust: boolean }>(
	deposits: readonly Deposit[],
): readonly Deposit[] => (deposits.some(({ dust }) => !dust) ? deposits : []);
