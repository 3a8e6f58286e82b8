/** What a blocked transaction means for others and for the books. The service never pays for it a second time. Pure. */
import type { BroadcastRejected } from '../../chains/errors.ts';
import type { TransactionRow } from '../table.ts';

/**
 * Is it on record that it can never arrive? A reverted transaction can still be undone by a reorganisation until its
 * block is final.
 */
export const isDead = ({ state, blockedKind, finalAt }: Pick<TransactionRow, 'state' | 'blockedKind' | 'finalAt'>) =>
	(state === 'signed' || state === 'sent') &&
	(blockedKind === 'taken' || blockedKind === 'expired' || (blockedKind === 'reverted' && finalAt !== null));

/** For the books: an expired transaction has cost nothing and moves nothing. `now`: Unix milliseconds. */
export const costOfRejected = (rejected: BroadcastRejected | null, now: number): Partial<TransactionRow> =>
	rejected?.expired ? { fee: '0', finalAt: now } : {};
