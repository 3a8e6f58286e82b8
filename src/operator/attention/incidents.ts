/** What went wrong once and no other row shows. */
import { INCIDENTS, type IncidentKind, isIncidentName } from '../../incidents/kinds.ts';
import { openIncidents } from '../../incidents/store.ts';
import type { Facts, Waiting } from './waiting.ts';

/** Of another version. */
const UNKNOWN: IncidentKind = {
	cause: 'an incident of a kind that this version does not know',
	todo: 'read the log of the time',
	lastsMilliseconds: null,
};

export async function waitingIncidents({ context: { db, now } }: Facts): Promise<Waiting[]> {
	const rows = await openIncidents(db, now);
	return rows.map(({ kind, subject, detail, times, firstAt }) => {
		const { cause, todo, lastsMilliseconds }: IncidentKind = isIncidentName(kind) ? INCIDENTS[kind] : UNKNOWN;
		const count = times > 1 ? `, ${times} times` : '';
		const end = lastsMilliseconds === null ? `; then \`alert clear ${kind} ${subject}\`` : '';
		return {
			area: 'incident',
			subject,
			sort: kind,
			cause: `${kind}: ${cause}${count}: ${detail}`,
			since: firstAt,
			amount: null,
			usd: null,
			todo: `${todo.replace(' ID', () => ` ${subject}`)}${end}`,
		};
	});
}
