/** Writes and reads incidents. Noting one never throws: what went wrong has gone wrong already. */
import { and, eq, lt, type SQL, sql } from 'drizzle-orm';
import { type Db, databaseOf } from '../platform/d1/database.ts';
import { logError } from '../platform/log.ts';
import { INCIDENTS, type IncidentName, isIncidentName } from './kinds.ts';
import { type IncidentRow, incidents } from './table.ts';

const MAX_DETAIL = 200;
/** One kind is written at most so often by an isolate, whatever its subject: a failing database gets no more work. */
const REST_MILLISECONDS = 60_000;
/** When this isolate wrote a kind last. */
const written = new Map<IncidentName, number>();

/** Safe to repeat: one row for each kind and subject, which counts. */
export async function noteIncident(database: D1Database, kind: IncidentName, subject: string, detail: string) {
	const now = Date.now();
	if (now - (written.get(kind) ?? 0) < REST_MILLISECONDS) return;
	written.set(kind, now);
	try {
		await writeIncident(databaseOf({ DB: database }), { kind, subject, detail }, now);
	} catch (error) {
		logError('incident_not_noted', error, { kind, subject });
	}
}

/** As `noteIncident`, each time. @throws what D1 throws */
export async function writeIncident(db: Db, incident: NewIncident, now: number): Promise<void> {
	await incidentNow(db, incident, now);
}

interface NewIncident {
	readonly kind: IncidentName;
	readonly subject: string;
	readonly detail: string;
}

/** The same as a statement of a batch. */
export function incidentNow(db: Db, { kind, subject, detail }: NewIncident, now: number) {
	const cut = detail.slice(0, MAX_DETAIL);
	return db
		.insert(incidents)
		.values({ kind, subject, detail: cut, times: 1, firstAt: now, lastAt: now })
		.onConflictDoUpdate(oneMore(cut, now));
}

/**
 * The same as a statement of a batch, written only where `condition` holds: before a compare-and-set on that condition, so
 * that the incident is written exactly when the change is made.
 */
export const incidentIf = (db: Db, { kind, subject, detail }: NewIncident, now: number, condition: SQL) =>
	db
		.insert(incidents)
		.select(sql`select ${kind}, ${subject}, ${detail.slice(0, MAX_DETAIL)}, 1, ${now}, ${now} where ${condition}`)
		.onConflictDoUpdate(oneMore(detail.slice(0, MAX_DETAIL), now));

const oneMore = (detail: string, now: number) => ({
	target: [incidents.kind, incidents.subject],
	set: { detail, times: sql`${incidents.times} + 1`, lastAt: sql`max(${incidents.lastAt}, ${now})` },
});

/** Those that are not over, the oldest first. */
export async function openIncidents(db: Db, now: number): Promise<IncidentRow[]> {
	const rows = await db.select().from(incidents).orderBy(incidents.firstAt);
	return rows.filter((row) => !isOver(row, now));
}

/** Deletes those that are over by themselves; what a person has to clear stays. */
export async function pruneIncidents(db: Db, now: number): Promise<void> {
	for (const [kind, { lastsMilliseconds }] of Object.entries(INCIDENTS)) {
		if (lastsMilliseconds === null) continue;
		await db.delete(incidents).where(and(eq(incidents.kind, kind), lt(incidents.lastAt, now - lastsMilliseconds)));
	}
}

/** Deletes the incidents of a kind, or one of them. */
export const clearIncidents = (db: Db, kind: string, subject?: string) =>
	db
		.delete(incidents)
		.where(and(eq(incidents.kind, kind), subject === undefined ? undefined : eq(incidents.subject, subject)))
		.returning({ subject: incidents.subject });

/** Pure. */
function isOver({ kind, lastAt }: IncidentRow, now: number): boolean {
	const lasts = isIncidentName(kind) ? INCIDENTS[kind].lastsMilliseconds : null;
	return lasts !== null && now - lastAt > lasts;
}
