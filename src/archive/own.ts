/** What the archive has of a partner's own order, for their cabinet: what a page shows of it, and no secret. */
import { drizzle } from 'drizzle-orm/d1';
import { type ArchiveEnv, findArchivedNamed } from './find.ts';
import type { ArchivedOrder } from './record.ts';

/** Rows of one kind that a page shows: more are an attack. */
const MOST_ROWS = 100;

export type OwnArchived = Pick<ArchivedOrder, 'order' | 'changes' | 'deposits' | 'transactions' | 'events'>;

/**
 * Null where the partner has no archived order with this id, pay-in address, reference or transaction of ours, or where
 * it is deleted. @throws where the archive cannot be read
 */
export async function ownArchived(
	env: ArchiveEnv & { readonly DB: D1Database },
	partnerId: string,
	text: string,
	networks: readonly string[],
): Promise<OwnArchived | null> {
	const isOwn = ({ order }: ArchivedOrder) => order.partnerId === partnerId && order.deletedAt === null;
	const found = await findArchivedNamed(drizzle(env.DB), env, text, networks, isOwn);
	if (!found) return null;
	const { order, changes, deposits, transactions, events } = found;
	const hidden = { tokenHash: '', requestHash: '', seal: '' };
	return {
		order: { ...order, ...hidden },
		changes: changes.slice(0, MOST_ROWS),
		deposits: deposits.slice(0, MOST_ROWS),
		transactions: transactions.slice(0, MOST_ROWS).map((transaction) => ({ ...transaction, raw: null })),
		events: events.slice(0, MOST_ROWS).map((event) => ({ ...event, body: '' })),
	};
}
