/**
 * The stored alerts. What is to be told is written before anything is posted, and the row moves on only after the
 * endpoint has accepted it. After a crash the same message is posted again with the same id.
 */
import { and, asc, eq, inArray, isNull, lte, ne, type SQL, sql } from 'drizzle-orm';
import { runInBatches, type Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { MINUTE_MILLISECONDS } from '../../platform/time.ts';
import type { Changes } from './changes.ts';
import { type AlertRow, alerts } from './table.ts';

/** Longer than one attempt takes. */
const LEASE_MILLISECONDS = 60_000;
const MAX_TEXT = 1_000;
/** Minutes after the first failed attempts; later ones follow each other by the last. */
const GAPS = [1, 1, 2, 5, 10] as const;

/** Bounded by what waits: a row that was told to be over is deleted. */
export const storedAlerts = (db: Db): Promise<AlertRow[]> =>
	db.select().from(alerts).orderBy(asc(alerts.raisedAt), asc(alerts.key));

/** Each statement is a compare-and-set on the message's id: of two evaluations at once the second changes nothing. */
export async function storeChanges(db: Db, changes: Changes, now: number): Promise<void> {
	const { raised, gone, back, over, dropped } = changes;
	const ids = (rows: readonly AlertRow[]) => sql`${alerts.eventId} in ${inJson(rows.map(({ eventId }) => eventId))}`;
	const mark = (rows: readonly AlertRow[], goneAt: number | null, where: SQL) =>
		rows.length === 0
			? []
			: [
					db
						.update(alerts)
						.set({ goneAt })
						.where(sql`(${ids(rows)} and ${where})`),
				];
	const statements: Statement[] = [
		...raised.map(([key, { area, subject, cause, todo, since }]) =>
			db
				.insert(alerts)
				.values({
					key,
					state: 'raised',
					eventId: crypto.randomUUID(),
					area,
					subject,
					since,
					cause: cause.slice(0, MAX_TEXT),
					todo: todo.slice(0, MAX_TEXT),
					raisedAt: now,
					nextAttemptAt: now,
				})
				.onConflictDoNothing(),
		),
		...mark(gone, now, isNull(alerts.goneAt)),
		...mark(back, null, ne(alerts.state, 'over')),
		...over.map(({ eventId }) =>
			db
				.update(alerts)
				.set({ state: 'over', eventId: crypto.randomUUID(), attempts: 0, nextAttemptAt: now, lastError: null })
				.where(and(eq(alerts.eventId, eventId), eq(alerts.state, 'told'))),
		),
		...(dropped.length > 0 ? [db.delete(alerts).where(and(ids(dropped), ne(alerts.state, 'told')))] : []),
	];
	await runInBatches(db, statements);
}

/** Takes the next message that is due for one attempt; null where none is. The update is the compare-and-set. */
export async function leaseAlert(db: Db, now: number): Promise<AlertRow | null> {
	const next = db
		.select({ key: alerts.key })
		.from(alerts)
		.where(and(ne(alerts.state, 'told'), lte(alerts.nextAttemptAt, now)))
		.orderBy(asc(alerts.nextAttemptAt), asc(alerts.raisedAt))
		.limit(1);
	const [leased] = await db
		.update(alerts)
		.set({ attempts: sql`${alerts.attempts} + 1`, nextAttemptAt: now + LEASE_MILLISECONDS })
		.where(and(inArray(alerts.key, next), lte(alerts.nextAttemptAt, now)))
		.returning();
	return leased ?? null;
}

/** The endpoint has accepted the message. */
export async function storeAccepted(db: Db, { eventId, state }: AlertRow): Promise<void> {
	if (state === 'over') await db.delete(alerts).where(eq(alerts.eventId, eventId));
	else await db.update(alerts).set({ state: 'told', lastError: null }).where(eq(alerts.eventId, eventId));
}

export async function storeFailed(db: Db, { eventId, attempts }: AlertRow, error: string, now: number): Promise<void> {
	const minutes = GAPS[Math.min(attempts, GAPS.length) - 1] ?? 1;
	await db
		.update(alerts)
		.set({ nextAttemptAt: now + minutes * MINUTE_MILLISECONDS, lastError: error })
		.where(and(eq(alerts.eventId, eventId), eq(alerts.attempts, attempts)));
}
