/** The cabinet's questions about orders beside their rows: which of a list may be shown, and the coins that went back. */
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits, sumOf } from '../../money/units.ts';
import type { OrderRow } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { pick } from '../../platform/pick.ts';
import type { Desk } from '../../ports/desk.ts';
import { transactions } from '../../treasury/table.ts';
import type { Places } from './challenges.ts';
import type { FoundOrder } from './store.ts';

export interface BesideOrders {
	/** Ids of orders that are named and not shown. */
	readonly unsealed: ReadonlySet<string>;
	/** By id: plain decimals of the asset that was paid in, where something went back. */
	readonly returned: ReadonlyMap<string, string>;
}

export async function besideOrders({ db, desk }: Places, rows: readonly OrderRow[]): Promise<BesideOrders> {
	const [unsealed, returned] = await Promise.all([unsealedIn(desk, rows), returnedOf(db, rows)]);
	return { unsealed, returned };
}

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

/** Read for the few of a list that were refunded. */
async function returnedOf(db: Db, rows: readonly OrderRow[]): Promise<BesideOrders['returned']> {
	const ids = rows.flatMap(({ id, refundTxId }) => (refundTxId === null ? [] : [id]));
	if (ids.length === 0) return new Map();
	const { orderId, asset, amount, kind, sentAt } = transactions;
	const refunds = await db
		.select({ orderId, asset, amount })
		.from(transactions)
		.where(and(sql`${orderId} in ${inJson(ids)}`, eq(kind, 'refund'), isNotNull(sentAt)));
	const byOrder = Map.groupBy(refunds, (refund) => refund.orderId ?? '');
	return new Map(
		[...byOrder].map(([id, [first, ...more]]) => [
			id,
			first ? fromBaseUnits(sumOf([first, ...more]), assetOf(first.asset).decimals) : '0',
		]),
	);
}
