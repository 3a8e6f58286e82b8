/**
 * The outbox in D1, through Drizzle. Every write is a compare-and-set on the event's state and attempt. A queue message that
 * comes twice, a crash during an attempt or a write whose answer is lost costs at most one more attempt: never two
 * attempts at the same time, never a lost event.
 *
 * An attempt is under way exactly while the event's newest attempt has no delivery row yet.
 */
import { and, asc, eq, gt, inArray, lte, ne, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { orders } from '../orders/table.ts';
import { type WebhookEndpointRow, webhookEndpoints } from '../partners/table.ts';
import type { Db } from '../platform/d1/database.ts';
import { pick } from '../platform/pick.ts';
import { cameEarly } from './retry-schedule.ts';
import { isDue, type WebhookDeliveryRow, type WebhookEventRow, webhookDeliveries, webhookEvents } from './table.ts';

/** Milliseconds for one attempt, its reads and writes; after that the cron takes the event for lost. */
const LEASE_MILLISECONDS = 60_000;
/** Events that one run of the cron puts into the queue. */
const SWEEP_LIMIT = 500;
/** Waiting events of an endpoint that one success reads. The rest waits for the next success, or for its schedule. */
const WAITING_LIMIT = 500;

/** A row of the outbox that is taken for one attempt. */
export interface LeasedEvent
	extends Pick<WebhookEventRow, 'id' | 'eventId' | 'partnerId' | 'type' | 'body' | 'createdAt'> {
	readonly attempt: number;
	/** Null where it was deleted. */
	readonly endpoint: WebhookEndpointRow | null;
	readonly orderDeletedAt: number | null;
}

/**
 * Takes the event for one attempt at each endpoint where it is due: none where it is not, or another attempt is under way.
 * The update is the compare-and-set (`next_attempt_at` moves past `now`, so a second update in the same instant finds
 * nothing).
 */
export async function leaseEvent(db: Db, eventId: string, now: number): Promise<LeasedEvent[]> {
	const [leased, contexts] = await db.batch([
		db
			.update(webhookEvents)
			.set({ attempts: sql`${webhookEvents.attempts} + 1`, nextAttemptAt: now + LEASE_MILLISECONDS })
			.where(and(eq(webhookEvents.eventId, eventId), isDue, lte(webhookEvents.nextAttemptAt, now)))
			.returning({
				...pick(webhookEvents, 'id', 'eventId', 'partnerId', 'type', 'body', 'createdAt'),
				attempt: webhookEvents.attempts,
			}),
		db
			.select({
				// Two columns of one name are one in a batch of D1.
				row: sql<string>`${webhookEvents.id}`.as('row'),
				endpoint: webhookEndpoints,
				orderDeletedAt: orders.deletedAt,
			})
			.from(webhookEvents)
			.leftJoin(
				webhookEndpoints,
				and(eq(webhookEndpoints.id, webhookEvents.endpointId), eq(webhookEndpoints.partnerId, webhookEvents.partnerId)),
			)
			.leftJoin(orders, eq(orders.id, webhookEvents.orderId))
			.where(eq(webhookEvents.eventId, eventId)),
	]);
	const byId = new Map(contexts.map((context) => [context.row, context]));
	return leased.map((event) => ({
		...event,
		endpoint: byId.get(event.id)?.endpoint ?? null,
		orderDeletedAt: byId.get(event.id)?.orderDeletedAt ?? null,
	}));
}

/** Ends an event that is not sent: the partner does not want it, or the order is deleted. */
export async function endUnsent(db: Db, eventId: string): Promise<void> {
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
export async function recordAttempt(db: Db, delivery: WebhookDeliveryRow, verdict: Verdict): Promise<boolean> {
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

/** Ids of events that are due at an endpoint, longest due first. */
export async function dueEventIds(db: Db, now: number): Promise<string[]> {
	const rows = await db
		.select({ id: webhookEvents.eventId })
		.from(webhookEvents)
		.where(and(isDue, lte(webhookEvents.nextAttemptAt, now)))
		.orderBy(asc(webhookEvents.nextAttemptAt))
		.limit(SWEEP_LIMIT);
	return [...new Set(rows.map(({ id }) => id))];
}

/**
 * The endpoint has just answered: events that failed there before and wait for their next attempt become due now. The
 * events' ids, oldest first.
 *
 * An event whose last attempt already came early keeps its schedule: the endpoint accepts others and refuses this one, and
 * each success of another must not cost it one of its eleven attempts.
 */
export async function releaseMissed(db: Db, endpointId: string, now: number): Promise<string[]> {
	const waiting = await waitingEvents(db, endpointId, now);
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
	return missed.filter(({ id }) => ids.has(id)).map(({ eventId }) => eventId);
}

/** The endpoint's events between two attempts, oldest first; those under way have no delivery row and are not here. */
function waitingEvents(db: Db, endpointId: string, now: number) {
	const last = alias(webhookDeliveries, 'last');
	const previous = alias(webhookDeliveries, 'previous');
	return db
		.select({
			id: webhookEvents.id,
			eventId: webhookEvents.eventId,
			attempt: webhookEvents.attempts,
			at: last.at,
			previousAt: previous.at,
		})
		.from(webhookEvents)
		.innerJoin(last, and(eq(last.eventId, webhookEvents.id), eq(last.attempt, webhookEvents.attempts)))
		.leftJoin(
			previous,
			and(eq(previous.eventId, webhookEvents.id), eq(previous.attempt, sql`${webhookEvents.attempts} - 1`)),
		)
		.where(and(eq(webhookEvents.endpointId, endpointId), isDue, gt(webhookEvents.nextAttemptAt, now)))
		.orderBy(asc(webhookEvents.createdAt), asc(webhookEvents.sequence))
		.limit(WAITING_LIMIT);
}

/** An attempt is not under way: the event is done with, new, or its newest attempt has its delivery row. */
const isIdle = or(
	ne(webhookEvents.state, 'due'),
	eq(webhookEvents.attempts, 0),
	sql`exists (
		select 1 from ${webhookDeliveries}
		where ${webhookDeliveries.eventId} = ${webhookEvents.id} and ${webhookDeliveries.attempt} = ${webhookEvents.attempts}
	)`,
);

/** `ids`: of rows of the outbox. */
export const canBeSentAgain = (ids: readonly string[]) => and(inArray(webhookEvents.id, ids), isIdle);

/** Makes the rows due now, whatever became of them; but for those of which an attempt is under way. */
export const sendAgain = (db: Db, ids: readonly string[], now: number) =>
	db
		.update(webhookEvents)
		.set({ state: 'due', nextAttemptAt: now })
		.where(canBeSentAgain(ids))
		.returning({ id: webhookEvents.id });

interface Again {
	/** The event's. */
	readonly id: string;
	readonly partnerId: string;
	/** Null: all that the event went to. */
	readonly endpointId: string | null;
	readonly now: number;
}

/** The same where the event is the partner's, its body is kept, and the endpoint is still there and enabled. */
export const sendOwnAgain = (db: Db, { id, partnerId, endpointId, now }: Again) =>
	db
		.update(webhookEvents)
		.set({ state: 'due', nextAttemptAt: now })
		.where(
			and(
				eq(webhookEvents.eventId, id),
				endpointId === null ? undefined : eq(webhookEvents.endpointId, endpointId),
				isIdle,
				eq(webhookEvents.partnerId, partnerId),
				ne(webhookEvents.body, ''),
				sql`exists (select 1 from ${webhookEndpoints}
					where ${webhookEndpoints.id} = ${webhookEvents.endpointId} and ${webhookEndpoints.enabled} = 1)`,
			),
		)
		.returning({ id: webhookEvents.eventId, type: webhookEvents.type });
