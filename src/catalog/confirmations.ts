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
