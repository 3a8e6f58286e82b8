/** How the signer goes on after it lost its counter of addresses, and how an agent sees that it did. Pure. */
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';

/** Added to the highest known index when the counter is lost. It is many times a stock of free addresses. */
const GAP = 1_000_000;
/** Monero's wallets derive every address up to the highest, some thousands in one call. */
const MONERO_GAP = 5_000;

export const gapOf = (network: NetworkName): number => (networkNamed(network).family === 'monero' ? MONERO_GAP : GAP);

/** `above`: one more than the highest index that the agent had before; 0 where it had none. */
export const wasCounterLost = (network: NetworkName, above: number, index: number): boolean =>
	above > 0 && index - above >= gapOf(network);
