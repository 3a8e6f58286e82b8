/** A partner's events with their deliveries, newest first: by an index, as many rows as are shown. */
import { and, asc, desc, type SQL, sql } from 'drizzle-orm';
import type { PageEnd } from '../orders/page.ts';
import type { Db } from '../platform/d1/database.ts';
import { inJson } from '../platform/d1/lists.ts';
import { webhookDeliveries, webhookEvents } from './table.ts';

interface PageOfEvents {
	readonly partnerId: string;
	readonly after: PageEnd | null;
	readonly limit: number;
}

export async function deliveredEvents(db: Db, { partnerId, after, limit }: PageOfEvents) {
	const rows = await db
		.select()
		.from(webhookEvents)
		.where(
			and(
				// As its index has it.
				sql`lower(${webhookEvents.partnerId}) = ${partnerId.toLowerCase()}`,
				after ? isAfter(after) : undefined,
			),
		)
		.orderBy(desc(webhookEvents.createdAt), webhookEvents.id)
		// One more says whether there is another page.
		.limit(limit + 1);
	const events = rows.slice(0, limit);
	const last = rows.length > limit ? events.at(-1) : undefined;
	const attempts = await db
		.select()
		.from(webhookDeliveries)
		.where(sql`${webhookDeliveries.eventId} in ${inJson(events.map(({ id }) => id))}`)
		.orderBy(asc(webhookDeliveries.attempt));
	const byEvent = Map.groupBy(attempts, ({ eventId }) => eventId);
	const shown = events.map(({ id, eventId, endpointId, type, orderId, createdAt, state, nextAttemptAt }) => ({
		id: eventId,
		endpoint: endpointId,
		type,
		orderId,
		createdAt,
		state,
		nextAttemptAt: state === 'due' ? nextAttemptAt : null,
		deliveries: (byEvent.get(id) ?? []).map(({ attempt, at, status, durationMilliseconds, error }) => ({
			attempt,
			at,
			status,
			milliseconds: durationMilliseconds,
			error,
		})),
	}));
	return { events: shown, end: last ? ([last.createdAt, last.id] as const) : null };
}

/** The first comparison is for the index. */
const isAfter = ([createdAt, id]: PageEnd): SQL =>
	sql`${webhookEvents.createdAt} <= ${createdAt} and (${webhookEvents.createdAt} < ${createdAt} or ${webhookEvents.id} > ${id})`;
