/** Which confirmations a network asks of a deposit, by its value (book: networks, "Confirmations"). Pure. */
import type { Confirmations } from './networks/row.ts';
import { type NetworkName, networkNamed } from './networks.ts';

/**
 * The rows of the highest tier that the value exceeds; one fulfilled row of them is enough. Null: the value is not known,
 * and the strictest tier applies.
 */
export function confirmationTier(network: NetworkName, usdCents: number | null): readonly Confirmations[] {
	const { confirmations } = networkNamed(network);
	const applies = (floor: number) => floor === 0 || usdCents === null || usdCents > floor * 100;
	const tier = Math.max(...confirmations.map(({ aboveUsd }) => aboveUsd).filter(applies));
	return confirmations.filter(({ aboveUsd }) => aboveUsd === tier);
}

/** The row of the tier that is fulfilled first, as a rule. */
export function usualConfirmations(network: NetworkName, usdCents: number | null): Confirmations {
	return confirmationTier(network, usdCents).reduce((fewest, row) => (row.blocks < fewest.blocks ? row : fewest));
}

/** The confirmations that the operator asks for beyond the catalog. It only ever raises: the catalog's rows hold as well. */
export interface Raised {
	/** Blocks that every deposit needs; null: nothing more than the catalog. */
	readonly confirmations: number | null;
	/** Blocks that a deposit needs with which more than `aboveUsd` is on its way; both null: no such step. */
	readonly aboveUsd: number | null;
	readonly confirmationsAbove: number | null;
}

export const NOT_RAISED: Raised = { confirmations: null, aboveUsd: null, confirmationsAbove: null };

/** Blocks that a deposit of this value needs at least; 0 where nothing was raised. Null: the value is not known. */
export function raisedBlocks({ confirmations, aboveUsd, confirmationsAbove }: Raised, usdCents: number | null): number {
	const isAbove = aboveUsd !== null && (usdCents === null || usdCents > aboveUsd * 100);
	return Math.max(confirmations ?? 0, isAbove ? (confirmationsAbove ?? 0) : 0);
}

/** Does what a deposit needs depend on its value? */
export const hasSteps = (network: NetworkName, raised: Raised): boolean =>
	raised.aboveUsd !== null || networkNamed(network).confirmations.some(({ aboveUsd }) => aboveUsd > 0);

/** Blocks often come late: a value counts as not yet deep for so many times the usual time. */
const LATE = 2;
const SECOND = 1_000;

/** How long a deposit usually needs until it is as deep as the largest value must be, at the most; milliseconds. */
export function deepMilliseconds(network: NetworkName, raised: Raised): number {
	const { confirmations, blockSeconds } = networkNamed(network);
	const blocks = Math.max(raisedBlocks(raised, null), ...confirmations.map((row) => row.blocks));
	const tagged = Math.max(...confirmations.map(({ tagSeconds = 0 }) => tagSeconds));
	return LATE * Math.max(blocks * blockSeconds, tagged) * SECOND;
}

/** A sandbox deposit with so many is final at once: more than any network requires. */
export const FINAL_CONFIRMATIONS = 1_000;
