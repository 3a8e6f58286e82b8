/**
 * How long past deliveries are kept (book: contract, "Webhooks": 30 days). An order's own history is `order_changes`.
 */
import { and, asc, eq, gt, gte, inArray, lt, lte, ne, notExists, sql } from 'drizzle-orm';
import { type Db, databaseOf } from '../platform/d1/database.ts';
import { inJson } from '../platform/d1/lists.ts';
import { DAY_MILLISECONDS } from '../platform/time.ts';
import type { Env } from '../ports/env.ts';
import { webhookBodies, webhookDeliveries, webhookEvents } from './table.ts';

const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS;
const EVENTS_PER_RUN = 500;
const BODIES_PER_RUN = 1_000;

/** Forgets what is older than it need be kept: a bounded number of events, each minute. */
export async function pruneWebhooks(env: Pick<Env, 'DB'>, now: number): Promise<void> {
	const db = databaseOf(env);
	await pruneEvents(db, now);
	await dropBodies(db, now);
}

/**
 * Removes settled events together with their deliveries once the last of those is older than 30 days, oldest first.
 * Both statements choose the same events: a batch is one transaction, and what the first one deletes changes nothing of
 * the choice.
 */
async function pruneEvents(db: Db, now: number): Promise<void> {
	const before = now - KEPT_MILLISECONDS;
	const recentDelivery = db
		.select({ one: sql`1` })
		.from(webhookDeliveries)
		.where(and(sql`${webhookDeliveries.eventId} = ${webhookEvents.id}`, gte(webhookDeliveries.at, before)));
	const outdated = db
		.select({ id: webhookEvents.id })
		.from(webhookEvents)
		.where(and(lt(webhookEvents.createdAt, before), ne(webhookEvents.state, 'due'), notExists(recentDelivery)))
		.orderBy(asc(webhookEvents.createdAt), asc(webhookEvents.id))
		.limit(EVENTS_PER_RUN);
	await db.batch([
		db.delete(webhookDeliveries).where(inArray(webhookDeliveries.eventId, outdated)),
		db.delete(webhookEvents).where(inArray(webhookEvents.id, outdated)),
	]);
}

/**
 * Empties the bodies of delivered events that are older than the operator wants, oldest first. An event that is
 * delivered after the mark has passed it keeps its body until it is removed. Safe to repeat: the mark moves in the same
 * batch, and an event may be emptied twice.
 */
async function dropBodies(db: Db, now: number): Promise<void> {
	const [mark] = await db
		.select({ until: webhookBodies.droppedUntil, days: sql<number>`(select webhook_body_days from site)` })
		.from(webhookBodies);
	if (!mark || mark.days * DAY_MILLISECONDS >= KEPT_MILLISECONDS) return;
	const before = now - mark.days * DAY_MILLISECONDS;
	const found = await db
		.select({ id: webhookEvents.id, createdAt: webhookEvents.createdAt })
		.from(webhookEvents)
		.where(and(gt(webhookEvents.createdAt, mark.until), lte(webhookEvents.createdAt, before)))
		.orderBy(asc(webhookEvents.createdAt))
		.limit(BODIES_PER_RUN);
	const [first, last] = [found[0], found.at(-1)];
	if (!first || !last) return;
	// More of the last millisecond may follow.
	const isCut = found.length === BODIES_PER_RUN && last.createdAt > first.createdAt;
	const ids = inJson(found.map(({ id }) => id));
	await db.batch([
		db
			.update(webhookEvents)
			.set({ body: '' })
			.where(and(sql`${webhookEvents.id} in ${ids}`, eq(webhookEvents.state, 'delivered'))),
		db
			.update(webhookBodies)
			.set({ droppedUntil: isCut ? last.createdAt - 1 : last.createdAt })
			.where(eq(webhookBodies.droppedUntil, mark.until)),
	]);
}
