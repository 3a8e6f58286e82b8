/**
 * A partner's webhook endpoints in D1, each change with its audit line in the same batch. The operator's commands and the
 * cabinet know one of them by no id: the first, which is the oldest.
 */
import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { type Writer as AuditWriter, writeAuditIf } from '../audit/log.ts';
import type { SealKeys } from '../crypto/seals.ts';
import type { Db } from '../platform/d1/database.ts';
import { type EndpointTerms, sealEndpoint } from './endpoint-seal.ts';
import { visitors, type WebhookEndpointRow, webhookEndpoints } from './table.ts';

export const MAX_ENDPOINTS = 5;

const ID_LENGTH = 16;

/** With the audit line's command, `webhooks` say. */
export interface Writer extends AuditWriter {
	readonly command: string;
}

/** Who and what a new endpoint is for. */
type Chosen = Pick<WebhookEndpointRow, 'partnerId' | 'orderId' | 'url' | 'events' | 'enabled'>;

export async function newEndpoint(keys: SealKeys, chosen: Chosen, now: number): Promise<WebhookEndpointRow> {
	const id = crypto.randomUUID().replaceAll('-', '').slice(-ID_LENGTH);
	const terms = { ...chosen, id, urlSetAt: now, createdAt: now };
	return { ...terms, seal: await sealEndpoint(keys, terms) };
}

/** The columns of a URL that is set now. */
export async function urlColumns(
	keys: SealKeys,
	{ id, partnerId, orderId }: Pick<EndpointTerms, 'id' | 'partnerId' | 'orderId'>,
	url: string,
	now: number,
) {
	const terms = { id, partnerId, orderId, url, urlSetAt: now };
	return { url, urlSetAt: now, seal: await sealEndpoint(keys, terms) };
}

/** Literal, for the partial index. */
const isOfPartner = (partnerId: string): SQL =>
	sql`${webhookEndpoints.partnerId} = ${partnerId} and ${webhookEndpoints.orderId} is null`;

const isOne = ({ partnerId, id }: Pick<WebhookEndpointRow, 'partnerId' | 'id'>): SQL | undefined =>
	and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.partnerId, partnerId), isNull(webhookEndpoints.orderId));

/** Those of one partner, oldest first, without the callbacks of orders. */
export const endpointsOf = (db: Db, partnerId: string) =>
	db
		.select()
		.from(webhookEndpoints)
		.where(isOfPartner(partnerId))
		.orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id))
		.limit(MAX_ENDPOINTS);

export async function firstEndpoint(db: Db, partnerId: string): Promise<WebhookEndpointRow | null> {
	return (await endpointsOf(db, partnerId))[0] ?? null;
}

/** Null where the partner has as many as a partner may have, or is a visitor of the public sandbox. Atomic: the insert counts them itself. */
export async function insertEndpoint(writer: Writer, row: WebhookEndpointRow): Promise<WebhookEndpointRow | null> {
	const { db, command } = writer;
	const { id, partnerId, url, events, enabled } = row;
	// A stranger on the public sandbox must not have us post to anybody.
	const hasRoom = sql`(select count(*) from ${webhookEndpoints} where ${isOfPartner(partnerId)}) < ${MAX_ENDPOINTS}
		and not exists (select 1 from ${visitors} where ${eq(visitors.partnerId, partnerId)})`;
	const entry = { command, subject: partnerId, changes: { endpoint: id, url, events, enabled } };
	const [, , found] = await db.batch([
		writeAuditIf(writer, entry, hasRoom),
		db.insert(webhookEndpoints).select(
			sql`select ${id}, ${partnerId}, null, ${url}, ${JSON.stringify(events)}, ${Number(enabled)}, ${row.seal},
				${row.urlSetAt}, ${row.createdAt} where ${hasRoom}`,
		),
		db.select().from(webhookEndpoints).where(isOne(row)),
	]);
	return found[0] ?? null;
}

/** The endpoint as it is now; null where the partner has none with this id. */
export async function changeEndpoint(
	writer: Writer,
	row: Pick<WebhookEndpointRow, 'partnerId' | 'id'>,
	{ seal, urlSetAt, ...changes }: Partial<WebhookEndpointRow>,
): Promise<WebhookEndpointRow | null> {
	const { db, command } = writer;
	const entry = { command, subject: row.partnerId, changes: { endpoint: row.id, ...changes } };
	const [, changed] = await db.batch([
		writeAuditIf(writer, entry, exists(row)),
		db
			.update(webhookEndpoints)
			.set({ ...changes, ...(seal && { seal, urlSetAt }) })
			.where(isOne(row))
			.returning(),
	]);
	return changed[0] ?? null;
}

/** Nothing that is due to it is sent any more. False where the partner has none with this id. */
export async function deleteEndpoint(writer: Writer, row: Pick<WebhookEndpointRow, 'partnerId' | 'id'>) {
	const { db, command } = writer;
	const [, deleted] = await db.batch([
		writeAuditIf(writer, { command, subject: row.partnerId, changes: { endpoint: row.id } }, exists(row)),
		db.delete(webhookEndpoints).where(isOne(row)).returning({ id: webhookEndpoints.id }),
	]);
	return deleted.length > 0;
}

const exists = (row: Pick<WebhookEndpointRow, 'partnerId' | 'id'>): SQL =>
	sql`exists (select 1 from ${webhookEndpoints} where ${isOne(row)})`;
