/**
 * How long past deliveries are kept (book: contract, "Webhooks": 30 days). An order's own history is `order_changes`.
 */
import { and, asc, gte, inArray, lt, ne, notExists, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { webhookDeliveries, webhookEvents } from './table.ts';

const KEPT = 30 * 24 * 60 * 60 * 1000;
const EVENTS_PER_RUN = 500;

/**
 * Removes settled events together with their deliveries once the last of those is older than 30 days, oldest first, at
 * most `limit` events; how many it removed. Both statements choose the same events: a batch is one transaction, and
 * what the first one deletes changes nothing of the choice.
 */
export async function pruneEvents(db: DrizzleD1Database, now: number, limit = EVENTS_PER_RUN): Promise<number> {
	const before = now - KEPT;
	const recentDelivery = db
		.select({ one: sql`1` })
		.from(webhookDeliveries)
		.where(and(sql`${webhookDeliveries.eventId} = ${webhookEvents.id}`, gte(webhookDeliveries.at, before)));
	const outdated = db
		.select({ id: webhookEvents.id })
		.from(webhookEvents)
		.where(and(lt(webhookEvents.createdAt, before), ne(webhookEvents.state, 'due'), notExists(recentDelivery)))
		.orderBy(asc(webhookEvents.createdAt), asc(webhookEvents.id))
		.limit(limit);
	const [, removed] = await db.batch([
		db.delete(webhookDeliveries).where(inArray(webhookDeliveries.eventId, outdated)),
		db.delete(webhookEvents).where(inArray(webhookEvents.id, outdated)).returning({ id: webhookEvents.id }),
	]);
	return removed.length;
}
