/** The first webhook endpoint of a partner, which `partner create`, `partner update` and the cabinet set. */
import { asc, getTableColumns, sql } from 'drizzle-orm';
import { endpointSealHolds } from '../../partners/endpoint-seal.ts';
import { type WebhookEndpointRow, webhookEndpoints } from '../../partners/table.ts';
import {
	changeEndpoint,
	deleteEndpoint,
	firstEndpoint,
	insertEndpoint,
	newEndpoint,
	urlColumns,
} from '../../partners/webhook-endpoints.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import type { Db } from '../../platform/d1/database.ts';
import { EVENT_TYPES } from '../../webhooks/events/events.ts';
import { type Context, type Failure, fail } from '../command.ts';

/** A field that is undefined stays; a URL that is null deletes the endpoint. */
interface Wanted {
	readonly webhookUrl: string | null | undefined;
	readonly events: readonly string[] | undefined;
}

/** The endpoint as it is now; null where there is none. An update that changes nothing seals a URL again whose seal is broken. */
export async function setFirstEndpoint(
	context: Context,
	partnerId: string,
	{ webhookUrl: url, events }: Wanted,
	command: string,
): Promise<WebhookEndpointRow | null | Failure> {
	const { db, env, now } = context;
	const before = await firstEndpoint(db, partnerId);
	if (url === undefined && events === undefined) return before;
	if (!before) {
		if (url === null) return null;
		if (url === undefined) return fail(409, `partner ${partnerId} has no webhook URL; give one with --webhook-url`);
		const chosen = { partnerId, orderId: null, url, events: events ?? EVENT_TYPES, enabled: true };
		return insertEndpoint({ ...context, command }, await newEndpoint(env.askedKeys(), chosen, now));
	}
	if (url === null) {
		await deleteEndpoint({ ...context, command }, before);
		return firstEndpoint(db, partnerId);
	}
	const isSet = url !== undefined && (url !== before.url || !(await endpointSealHolds(env.askedKeys(), before)));
	const changes = {
		...(isSet && (await urlColumns(env.askedKeys(), before, url, now))),
		...(events && JSON.stringify(events) !== JSON.stringify(before.events) && { events }),
	};
	return Object.keys(changes).length === 0 ? before : changeEndpoint({ ...context, command }, before, changes);
}

/** The first endpoint of each partner who has one, by the partner's id. */
export async function firstEndpoints(db: Db): Promise<ReadonlyMap<string, WebhookEndpointRow>> {
	const rows = await db
		.select(fromIndex(getTableColumns(webhookEndpoints)))
		.from(byIndex(webhookEndpoints, 'webhook_endpoints_by_partner'))
		// Literal, for the partial index.
		.where(sql`${webhookEndpoints.orderId} is null`)
		.orderBy(asc(webhookEndpoints.partnerId), asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id));
	const first = new Map<string, WebhookEndpointRow>();
	for (const row of rows) if (!first.has(row.partnerId)) first.set(row.partnerId, row);
	return first;
}
