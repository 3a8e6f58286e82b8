/** When is a deposit final? Applies the confirmations of the network's row in the catalog. Pure. */
import { confirmationTier, NOT_RAISED, type Raised, raisedBlocks } from '../catalog/confirmations.ts';
import { type NetworkName, networkNamed } from '../catalog/networks.ts';
import type { Depth } from './port.ts';

/**
 * `usdCents`: the deposit's value at the live price. Null where it is unknown: then the strictest tier applies. One
 * fulfilled row of the highest tier that the value exceeds is enough, with the blocks that the operator asks beyond it.
 */
export const isFinal = (
	network: NetworkName,
	depth: Depth,
	usdCents: number | null,
	raised: Raised = NOT_RAISED,
): boolean => !depth.immature && isDeep(network, depth, usdCents, raised);

/** As `isFinal`, of coins that may not be spendable yet: nobody can undo them. */
export function isDeep(
	network: NetworkName,
	depth: Depth,
	usdCents: number | null,
	raised: Raised = NOT_RAISED,
): boolean {
	if (depth.confirmations < raisedBlocks(raised, usdCents)) return false;
	return confirmationTier(network, usdCents).some(
		({ blocks, tag }) => depth.confirmations >= blocks && (tag === undefined || depth.irreversible),
	);
}

/** The most blocks that any tier of the network asks for. */
export const deepestConfirmations = (network: NetworkName): number =>
	Math.max(...networkNamed(network).confirmations.map(({ blocks }) => blocks));
