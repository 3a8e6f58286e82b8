/** Incidents: things that went wrong once and that no other row shows. */
import { INCIDENTS, type IncidentKind, isIncidentName, JOURNAL_INCIDENTS } from '../../incidents/kinds.ts';
import { openIncidents } from '../../incidents/store.ts';
import type { IncidentRow } from '../../incidents/table.ts';
import { isoTime } from '../../platform/time.ts';
import type { Facts, Waiting } from './waiting.ts';

/** Stands for an incident that another version recorded. */
const UNKNOWN: IncidentKind = {
	cause: 'an incident of a kind that this version does not know',
	todo: 'read the log of the time',
	lastsMilliseconds: null,
};

export async function waitingIncidents({ context: { db, now } }: Facts): Promise<Waiting[]> {
	return (await openIncidents(db, now)).map(waitingIncident);
}

/**
 * Incidents that the signer remembers by itself: D1 may be set back, and is lost with all its rows. @throws what the
 * signer throws
 */
export async function waitingJournal({ context: { env } }: Facts): Promise<Waiting[]> {
	const mark = await env.SIGNER.restored();
	if (!mark || mark.endedAt !== null) return [];
	const { cause, restoredAt, backupAt } = mark;
	const detail = backupAt === null ? 'noticed by what the agents remember' : `the backup of ${isoTime(backupAt)}`;
	return [
		waitingIncident({ kind: JOURNAL_INCIDENTS[cause], subject: 'signer', detail, times: 1, firstAt: restoredAt }),
	];
}

function waitingIncident({ kind, subject, detail, times, firstAt }: Omit<IncidentRow, 'lastAt'>): Waiting {
	const { cause, todo, lastsMilliseconds, isEndedByTodo }: IncidentKind = isIncidentName(kind)
		? INCIDENTS[kind]
		: UNKNOWN;
	const count = times > 1 ? `, ${times} times` : '';
	const end = lastsMilliseconds === null && !isEndedByTodo ? `; then \`alert clear ${kind} ${subject}\`` : '';
	return {
		area: 'incident',
		subject,
		sort: kind,
		cause: `${kind}: ${cause}${count}: ${detail}`,
		since: firstAt,
		todo: `${todo.replace(' ID', () => ` ${subject}`)}${end}`,
	};
}
