/**
 * The outbox in D1, through Drizzle. Every write is a compare-and-set on the event's state and attempt. A queue message that
 * comes twice, a crash during an attempt or a write whose answer is lost costs at most one more attempt: never two
 * attempts at the same time, never a lost event.
 *
 * An attempt is under way exactly while the event's newest attempt has no delivery row yet.
 */
import { and, asc, eq, gt, lte, ne, or, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { alias } from 'drizzle-orm/sqlite-core';
import { orders } from '../orders/table.ts';
import { partners } from '../partners/table.ts';
import { cameEarly } from './retry-schedule.ts';
import { isDue, type WebhookDeliveryRow, webhookDeliveries, webhookEvents } from './table.ts';

/** Milliseconds for one attempt, its reads and writes; after that the cron takes the event for lost. */
const LEASE_MILLISECONDS = 60_000;
/** Events that one run of the cron puts into the queue. */
const SWEEP_LIMIT = 500;
/** Waiting events of a partner that one success reads. The rest waits for the next success, or for its schedule. */
const WAITING_LIMIT = 500;

/**
 * Takes the event for one attempt: null when it is not due, or another attempt is under way. The update is the compare-and-set
 * (`next_attempt_at` moves past `now`, so a second update in the same instant finds nothing).
 */
export async function leaseEvent(db: DrizzleD1Database, eventId: string, now: number) {
	const [leased, contexts] = await db.batch([
		db
			.update(webhookEvents)
			.set({ attempts: sql`${webhookEvents.attempts} + 1`, nextAttemptAt: now + LEASE_MILLISECONDS })
			.where(and(eq(webhookEvents.id, eventId), isDue, lte(webhookEvents.nextAttemptAt, now)))
			.returning({
				id: webhookEvents.id,
				partnerId: webhookEvents.partnerId,
				type: webhookEvents.type,
				body: webhookEvents.body,
				attempt: webhookEvents.attempts,
				createdAt: webhookEvents.createdAt,
			}),
		db
			.select({ url: partners.webhookUrl, chosenTypes: partners.webhookEvents, orderDeletedAt: orders.deletedAt })
			.from(webhookEvents)
			.innerJoin(partners, eq(partners.id, webhookEvents.partnerId))
			.leftJoin(orders, eq(orders.id, webhookEvents.orderId))
			.where(eq(webhookEvents.id, eventId)),
	]);
	return leased[0] && contexts[0] ? { ...leased[0], ...contexts[0] } : null;
}

export type LeasedEvent = NonNullable<Awaited<ReturnType<typeof leaseEvent>>>;

/** Ends an event that is not sent: the partner does not want it, or the order is deleted. */
export async function endUnsent(db: DrizzleD1Database, eventId: string): Promise<void> {
	await db
		.update(webhookEvents)
		.set({ state: 'ended' })
		.where(and(eq(webhookEvents.id, eventId), isDue));
}

/** The event's fate after an attempt. */
export type Verdict =
	| { readonly state: 'delivered' | 'ended' }
	| { readonly state: 'due'; readonly nextAttemptAt: number };

/**
 * The attempt and what follows from it, in one batch; safe to repeat. False when the event has moved on without this
 * attempt. A retry is scheduled by the newest attempt only; "delivered" counts whichever attempt it was.
 */
export async function recordAttempt(
	db: DrizzleD1Database,
	delivery: WebhookDeliveryRow,
	verdict: Verdict,
): Promise<boolean> {
	const isNewest = eq(webhookEvents.attempts, delivery.attempt);
	const [, updated] = await db.batch([
		db.insert(webhookDeliveries).values(delivery).onConflictDoNothing(),
		db
			.update(webhookEvents)
			.set(verdict)
			.where(and(eq(webhookEvents.id, delivery.eventId), isDue, verdict.state === 'delivered' ? undefined : isNewest))
			.returning({ id: webhookEvents.id }),
	]);
	return updated.length > 0;
}

/** Ids of events that are due, longest due first. */
export async function dueEventIds(db: DrizzleD1Database, now: number): Promise<string[]> {
	const rows = await db
		.select({ id: webhookEvents.id })
		.from(webhookEvents)
		.where(and(isDue, lte(webhookEvents.nextAttemptAt, now)))
		.orderBy(asc(webhookEvents.nextAttemptAt))
		.limit(SWEEP_LIMIT);
	return rows.map((row) => row.id);
}

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

/** An attempt is not under way: the event is done with, new, or its newest attempt has its delivery row. */
export const canBeSentAgain = (eventId: string) => {
	const isAnswered = sql`exists (
		select 1 from ${webhookDeliveries}
		where ${webhookDeliveries.eventId} = ${webhookEvents.id} and ${webhookDeliveries.attempt} = ${webhookEvents.attempts}
	)`;
	return and(
		eq(webhookEvents.id, eventId),
		or(ne(webhookEvents.state, 'due'), eq(webhookEvents.attempts, 0), isAnswered),
	);
};

/** Makes the event due now, whatever became of it; no row when there is none or an attempt is under way. */
export const sendAgain = (db: DrizzleD1Database, eventId: string, now: number) =>
	db
		.update(webhookEvents)
		.set({ state: 'due', nextAttemptAt: now })
		.where(canBeSentAgain(eventId))
		.returning({ id: webhookEvents.id });

/** The same where the event is the partner's, its body is kept, and they have a URL. */
export const sendOwnAgain = (
	db: DrizzleD1Database,
	{ id, partnerId, now }: { readonly id: string; readonly partnerId: string; readonly now: number },
) =>
	db
		.update(webhookEvents)
		.set({ state: 'due', nextAttemptAt: now })
		.where(
			and(
				canBeSentAgain(id),
				eq(webhookEvents.partnerId, partnerId),
				ne(webhookEvents.body, ''),
				sql`exists (select 1 from ${partners} where ${partners.id} = ${partnerId} and ${partners.webhookUrl} is not null)`,
			),
		)
		.returning({ id: webhookEvents.id, type: webhookEvents.type });
