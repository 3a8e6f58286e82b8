/**
 * Which orders may leave D1: those that are finished, whose address is watched no more, and of which nothing is under way
 * or owed. Everything about them is final, so nothing of the service changes them any more but the operator.
 */
import { and, eq, gt, lt, type SQL, sql } from 'drizzle-orm';
import { archiveCursors } from '../../archive/table.ts';
import { NETWORK_NAMES, type NetworkName } from '../../catalog/networks.ts';
import { orders } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';

/** Orders that one query looks at. */
const PAGE = 1_000;
/** After a round over all orders of a network the next one begins this much later. */
const REST_MILLISECONDS = HOUR_MILLISECONDS;

const none = (rows: SQL): SQL => sql`not exists (select 1 from ${rows})`;

/**
 * The condition on `orders`; the subqueries use the names of the tables, so that the partial indexes serve them.
 * `before`: Unix milliseconds, at least 31 days ago. Of each network the newest order stays: where the signer has lost
 * its counter of addresses, it begins above the indexes of D1's orders.
 */
export const isArchivable = (before: number): SQL => sql`(
	${orders.status} in ('DONE', 'EXPIRED') and ${orders.expiresAt} < ${before} and ${orders.updatedAt} < ${before}
	and exists (select 1 from orders newer where newer.from_network = ${orders.fromNetwork} and newer.expires_at > ${orders.expiresAt})
	and ${none(sql`deposits where order_id = ${orders.id}
		and (state = 'seen' or (state = 'final' and payout_id is null and dust = 0))`)}
	and ${none(sql`transactions where order_id = ${orders.id}
		and (state <> 'final' or blocked_kind is not null or waits_kind is not null or final_at >= ${before})`)}
	and ${none(sql`transactions where network = ${orders.fromNetwork} and pay_in_address = ${orders.payInAddress}
		and kind in ('gas', 'sweep', 'token') and (state <> 'final' or final_at >= ${before})`)}
	and ${none(sql`strays where order_id = ${orders.id}`)}
	and ${none(sql`unlisted_tokens where order_id = ${orders.id}`)}
	and ${none(sql`sweep_candidates where network = ${orders.fromNetwork} and order_id = ${orders.id}`)}
	and ${none(sql`webhook_events where order_id = ${orders.id} and state = 'due'`)}
	and ${none(sql`ledger_entries where order_id = ${orders.id} and cause = 'paid' and account = 'partner'
		and not exists (select 1 from partner_payout_orders join partner_payouts on partner_payouts.id = payout_id
			where partner_payout_orders.order_id = ${orders.id} and paid_at is not null)`)}
)`;

/** Where the round over a network's orders is. */
export type Cursor = typeof archiveCursors.$inferSelect;

export interface Selected {
	/** Oldest first; empty where none of this page may be archived. */
	readonly ids: readonly string[];
	/** After the last of these, or of the page. */
	readonly cursor: Cursor;
}

/** Networks of which no round has ended just now. */
export async function networksDue(db: Db, now: number): Promise<NetworkName[]> {
	const isRested = gt(archiveCursors.endedAt, now - REST_MILLISECONDS);
	const rested = await db.select({ network: archiveCursors.network }).from(archiveCursors).where(isRested);
	return NETWORK_NAMES.filter((name) => !rested.some(({ network }) => network === name));
}

/** Up to `limit` orders of the network, from where the last call stopped. */
export async function selectOrders(
	db: Db,
	network: NetworkName,
	{ before, now, limit }: { readonly before: number; readonly now: number; readonly limit: number },
): Promise<Selected> {
	const [last] = await db.select().from(archiveCursors).where(eq(archiveCursors.network, network));
	const start = last && last.endedAt === null ? last : { expiresAt: 0, orderId: '' };
	const page = await db
		.select({ id: orders.id, expiresAt: orders.expiresAt, isReady: sql<number>`${isArchivable(before)}` })
		.from(orders)
		.where(
			and(
				eq(orders.fromNetwork, network),
				lt(orders.expiresAt, before),
				sql`(${orders.expiresAt}, ${orders.id}) > (${start.expiresAt}, ${start.orderId})`,
			),
		)
		.orderBy(orders.expiresAt, orders.id)
		.limit(PAGE);
	const chosen = page.filter(({ isReady }) => isReady === 1).slice(0, limit);
	const isCut = chosen.length === limit;
	const reached = (isCut ? chosen : page).at(-1);
	return {
		ids: chosen.map(({ id }) => id),
		cursor: {
			network,
			expiresAt: reached?.expiresAt ?? start.expiresAt,
			orderId: reached?.id ?? start.orderId,
			endedAt: isCut || page.length === PAGE ? null : now,
		},
	};
}

export const storeCursor = (db: Db, cursor: Cursor) =>
	db.insert(archiveCursors).values(cursor).onConflictDoUpdate({ target: archiveCursors.network, set: cursor });
