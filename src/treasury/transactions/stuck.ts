/**
 * When a payout that the network took and no block holds is too slow: from then on its fee is raised, now and then, and
 * after a while a person is called. Pure; times in Unix milliseconds.
 */
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';
import type { TransactionRow } from '../table.ts';

/** A payout pays for the third block; twice that is late. On fast networks minutes count, not blocks. */
const PATIENCE_BLOCKS = 6;
const LEAST_PATIENCE_MILLISECONDS = 600_000;
/** A person is called after this many times the patience: most raises have had their chance by then. */
const PATIENCES_UNTIL_HELD = 4;
/** Versions of one payment beside the first; the signer counts them for itself. */
export const MAX_RAISES = 5;

export const patienceMilliseconds = (network: NetworkName): number =>
	Math.max(LEAST_PATIENCE_MILLISECONDS, PATIENCE_BLOCKS * networkNamed(network).blockSeconds * 1000);

/** `replacedAt`: when each earlier version was replaced. */
export function isRaiseDue(
	{ network, kind, sentAt }: Pick<TransactionRow, 'network' | 'kind' | 'sentAt'>,
	replacedAt: readonly number[],
	now: number,
): boolean {
	// A sweep can wait, and an empty address has nothing to pay more with. Joining outputs is for when fees are low.
	if (kind === 'sweep' || kind === 'consolidation' || sentAt === null || replacedAt.length >= MAX_RAISES) return false;
	return now - Math.max(sentAt, ...replacedAt) > patienceMilliseconds(network);
}

/** Nobody waits for outputs to be joined: at the lowest fee that may take days. */
export const isLongUnconfirmed = (
	{ network, kind, sentAt }: Pick<TransactionRow, 'network' | 'kind' | 'sentAt'>,
	now: number,
): boolean =>
	kind !== 'consolidation' && sentAt !== null && now - sentAt > PATIENCES_UNTIL_HELD * patienceMilliseconds(network);
