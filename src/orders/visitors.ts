/** How much a visitor of the public sandbox may still do. */
import { count, eq } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Refusal } from '../http/refusals.ts';
import { visitors } from '../partners/table.ts';
import { ORDERS_PER_VISIT } from '../partners/visitors.ts';
import { DAY_SECONDS } from '../platform/time.ts';
import { orders } from './table.ts';

/** Why this partner makes no further order; null for one that is no visitor. Of creates at once some more may pass. */
export async function visitUsedUp(db: DrizzleD1Database, partnerId: string): Promise<Refusal | null> {
	const [made] = await db
		.select({ orders: count() })
		.from(visitors)
		.innerJoin(orders, eq(orders.partnerId, visitors.partnerId))
		.where(eq(visitors.partnerId, partnerId));
	return (made?.orders ?? 0) < ORDERS_PER_VISIT ? null : { kind: 'visit-used-up', retryAfterSeconds: DAY_SECONDS };
}
