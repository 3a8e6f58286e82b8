/** The cabinet's questions to the desk about orders: which of a list may be shown, and those that D1 no longer has. */
import type { OrderRow } from '../../orders/table.ts';
import { pick } from '../../platform/pick.ts';
import type { Desk } from '../../ports/desk.ts';
import type { FoundOrder } from './store.ts';

/** An order of which somebody changed the row is named and shown no further: it could lead a payer to another address. */
export async function unsealedIn(
	desk: Pick<Desk, 'unsealed'>,
	rows: readonly OrderRow[],
): Promise<ReadonlySet<string>> {
	return new Set(rows.length === 0 ? [] : await desk.unsealed(rows.map(termsOf)));
}

/** The text that a seal is over, and nothing else: five hundred orders go in one call. */
const termsOf = (order: OrderRow) => ({
	...pick(order, 'id', 'partnerId', 'fromAsset', 'toAsset', 'toAddress', 'refundAddress', 'createdAt', 'seal'),
	...pick(order, 'payInAddress', 'payInIndex', 'baseFeeBps', 'leanBps', 'afftaxBps', 'fromAmount', 'minToAmount'),
});

/** The archived order with this id, as `orderOf` gives one; null where there is none. */
export async function archivedOrderOf(
	desk: Pick<Desk, 'archivedOrder'>,
	partnerId: string,
	id: string,
): Promise<FoundOrder | null> {
	const found = await desk.archivedOrder(partnerId, id);
	if (!found) return null;
	const { order, changes, deposits: received, transactions: sent, events } = found;
	return { order, changes, received, sent, events };
}
