/**
 * When a transaction that is in the mempool and in no block is too slow. First its fee is bumped, a few times, then half
 * as often. After a longer time the operator is called. Pure.
 */
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';
import type { TransactionRow } from '../table.ts';
import { KINDS } from './kinds.ts';

/**
 * A transaction pays the fee of one of the next three blocks, so twice as many blocks is late. On fast networks the
 * minutes count, not the blocks.
 */
const PATIENCE_BLOCKS = 6;
const LEAST_PATIENCE_MILLISECONDS = 600_000;
/** The operator is called after this many times the patience: most bumps have had their chance by then. */
const PATIENCES_UNTIL_BLOCKED = 4;
/**
 * Fee bumps of one transaction after which it gets more only where no node takes what it pays. The signer counts them,
 * and asks its node, for itself.
 */
export const MAX_FEE_BUMPS = 5;

export const patienceMilliseconds = (network: NetworkName): number =>
	Math.max(LEAST_PATIENCE_MILLISECONDS, PATIENCE_BLOCKS * networkNamed(network).blockSeconds * 1000);

type Sent = Pick<TransactionRow, 'network' | 'kind' | 'sentAt'>;

/** `replacedAt`: when each earlier version was replaced. */
export function isBumpDue({ network, kind, sentAt }: Sent, replacedAt: readonly number[], now: number): boolean {
	if (!KINDS[kind].hasVersions || sentAt === null) return false;
	const patiences = replacedAt.length >= MAX_FEE_BUMPS ? 2 : 1;
	return now - Math.max(sentAt, ...replacedAt) > patiences * patienceMilliseconds(network);
}

export const isLongUnconfirmed = ({ network, kind, sentAt }: Sent, now: number): boolean =>
	KINDS[kind].isUrgent && sentAt !== null && now - sentAt > PATIENCES_UNTIL_BLOCKED * patienceMilliseconds(network);
