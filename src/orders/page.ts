/** Pages of a partner's orders, newest first; of one moment by id. Each reads as many rows as it shows, by an index. */
import { and, desc, eq, gte, isNull, lt, type SQL, sql } from 'drizzle-orm';
import { newestMove, reachOf } from '../archive/reach.ts';
import type { Db } from '../platform/d1/database.ts';
import { isIn } from '../platform/d1/lists.ts';
import type { OrderStatus } from './status.ts';
import { type OrderRow, orders } from './table.ts';

/** Where a page ended: an order's creation in Unix milliseconds, and its id. */
export type PageEnd = readonly [createdAt: number, id: string];

export interface PageOfOrders {
	readonly partnerId: string;
	readonly status?: OrderStatus | undefined;
	readonly externalId?: string | undefined;
	readonly ids?: readonly string[] | undefined;
	/** Unix milliseconds of the creation: from `since` on and before `until`. */
	readonly since?: number | undefined;
	readonly until?: number | undefined;
	readonly after: PageEnd | null;
	readonly limit: number;
}

interface Page {
	readonly rows: readonly OrderRow[];
	readonly end: PageEnd | null;
	/** Null where none of the partner's orders is archived. */
	readonly completeSince: number | null;
}

export async function ordersPage(
	db: Db,
	{ partnerId, status, externalId, ids, since, until, after, limit }: PageOfOrders,
): Promise<Page> {
	const [rows, moves] = await db.batch([
		db
			.select()
			.from(orders)
			.where(
				and(
					eq(orders.partnerId, partnerId),
					isNull(orders.deletedAt),
					status && eq(orders.status, status),
					ids && isIn(orders.id, ids),
					externalId === undefined ? undefined : eq(orders.externalId, externalId),
					since === undefined ? undefined : gte(orders.createdAt, since),
					until === undefined ? undefined : lt(orders.createdAt, until),
					after ? isAfter(after) : undefined,
				),
			)
			.orderBy(desc(orders.createdAt), orders.id)
			// One more says whether there is another page.
			.limit(limit + 1),
		newestMove(db, partnerId),
	]);
	const shown = rows.slice(0, limit);
	const last = rows.length > limit ? shown.at(-1) : undefined;
	return { rows: shown, end: last ? [last.createdAt, last.id] : null, completeSince: reachOf(moves) };
}

/** The first comparison is for the index. */
const isAfter = ([createdAt, id]: PageEnd): SQL =>
	sql`${orders.createdAt} <= ${createdAt} and (${orders.createdAt} < ${createdAt} or ${orders.id} > ${id})`;

/** Opaque to callers. */
export const pageEndText = (end: PageEnd): string => btoa(JSON.stringify(end));

/** Null for a text that no page ended with. */
export function pageEndOf(text: string): PageEnd | null {
	try {
		const parsed: unknown = JSON.parse(atob(text));
		if (!Array.isArray(parsed) || parsed.length !== 2) return null;
		const [createdAt, id] = parsed as unknown[];
		return Number.isSafeInteger(createdAt) && typeof id === 'string' ? [Number(createdAt), id] : null;
	} catch {
		return null;
	}
}
