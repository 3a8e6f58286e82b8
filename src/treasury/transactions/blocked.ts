/** A transaction that does not go on, and what that means for others and for the books. Pure. */
import type { BroadcastRejected } from '../../chains/errors.ts';
import type { TransactionRow } from '../table.ts';

/**
 * May the operator close it with a payment by hand? It is on record that it can never arrive: a reverted transaction can
 * still be undone by a reorganisation until its block is final. Or it was lost and cannot be broadcast again: nobody but
 * the operator can tell that it will not arrive.
 */
export const isDead = ({ state, blockedKind, finalAt }: Pick<TransactionRow, 'state' | 'blockedKind' | 'finalAt'>) =>
	(state === 'signed' || state === 'sent') &&
	(blockedKind === 'taken' || blockedKind === 'lost-without-bytes' || (blockedKind === 'reverted' && finalAt !== null));

/**
 * Is it on record that a move between our own wallets failed on chain for good? It then cost its fee and moved nothing,
 * like a transaction that another one was sent for (`settledTxId`), and its own id stands there.
 */
export const hasFailed = ({ txId, settledTxId }: Pick<TransactionRow, 'txId' | 'settledTxId'>): boolean =>
	settledTxId !== null && settledTxId === txId;

/** For the books: an expired transaction costs and moves nothing, until a new version does. */
export const costOfRejected = (rejected: BroadcastRejected | null, now: number): Partial<TransactionRow> =>
	rejected?.expired ? { fee: '0', finalAt: now } : {};
