/**
 * "When an endpoint that was failing answers again, what it missed is sent at once, oldest first" (book: contract,
 * "Webhooks").
 */
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { alias } from 'drizzle-orm/sqlite-core';
import { cameEarly } from './retry-schedule.ts';
import { isDue, webhookDeliveries, webhookEvents } from './table.ts';

/** Waiting events of a partner that one success reads. The rest waits for the next success, or for its schedule. */
const WAITING_LIMIT = 500;

/**
 * The partner's endpoint has just answered: events that failed before and wait for their next attempt become due now.
 * Ids oldest first.
 *
 * An event whose last attempt already came early keeps its schedule: the endpoint accepts others and refuses this one, and
 * each success of another must not cost it one of its eleven attempts.
 */
export async function releaseMissed(db: DrizzleD1Database, partnerId: string, now: number): Promise<string[]> {
	const waiting = await waitingEvents(db, partnerId, now);
	const missed = waiting.filter(({ attempt, at, previousAt }) => !cameEarly(attempt, at, previousAt ?? 0));
	if (missed.length === 0) return [];
	const released = await db
		.update(webhookEvents)
		.set({ nextAttemptAt: now })
		.where(
			and(
				isDue,
				sql`(${webhookEvents.id}, ${webhookEvents.attempts}) in (
					select value ->> 0, value ->> 1 from json_each(${JSON.stringify(missed.map(({ id, attempt }) => [id, attempt]))})
				)`,
			),
		)
		.returning({ id: webhookEvents.id });
	const ids = new Set(released.map((row) => row.id));
	return missed.filter(({ id }) => ids.has(id)).map(({ id }) => id);
}

/** The partner's events between two attempts, oldest first; those under way have no delivery row and are not here. */
function waitingEvents(db: DrizzleD1Database, partnerId: string, now: number) {
	const last = alias(webhookDeliveries, 'last');
	const previous = alias(webhookDeliveries, 'previous');
	return db
		.select({ id: webhookEvents.id, attempt: webhookEvents.attempts, at: last.at, previousAt: previous.at })
		.from(webhookEvents)
		.innerJoin(last, and(eq(last.eventId, webhookEvents.id), eq(last.attempt, webhookEvents.attempts)))
		.leftJoin(
			previous,
			and(eq(previous.eventId, webhookEvents.id), eq(previous.attempt, sql`${webhookEvents.attempts} - 1`)),
		)
		.where(and(eq(webhookEvents.partnerId, partnerId), isDue, gt(webhookEvents.nextAttemptAt, now)))
		.orderBy(asc(webhookEvents.createdAt), asc(webhookEvents.sequence))
		.limit(WAITING_LIMIT);
}
