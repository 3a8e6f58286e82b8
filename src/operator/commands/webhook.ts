/** `webhook list` and `webhook redeliver`. */
import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm';
import { writeAuditIf } from '../../audit/log.ts';
import { findOrder } from '../../orders/store.ts';
import { orders } from '../../orders/table.ts';
import { findPartner } from '../../partners/store.ts';
import { type WebhookEndpointRow, webhookEndpoints } from '../../partners/table.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { wakeWebhooks } from '../../ports/wake.ts';
import { isWantedType } from '../../webhooks/events/events.ts';
import { canBeSentAgain, sendAgain } from '../../webhooks/store.ts';
import { type WebhookDeliveryRow, webhookDeliveries, webhookEvents } from '../../webhooks/table.ts';
import { type Context, fail, type RunOf, type RunsOf } from '../command.ts';
import { archivedOrNone } from '../orders/archived.ts';
import { eventRecord } from '../orders/record.ts';
import type { webhook as topic } from '../topics/webhook.ts';

/**
 * As its index has it. What was not delivered is little of any partner, and
 * has an index of its own: the plus keeps the partner's out.
 */
const ofPartner = (id: string, isUndelivered: boolean): SQL =>
	isUndelivered
		? sql`+${webhookEvents.partnerId} = ${id}`
		: sql`lower(${webhookEvents.partnerId}) = ${id.toLowerCase()}`;

/** Tried and not delivered. */
const isFailed: SQL = sql`${webhookEvents.state} <> 'delivered' and exists (
	select 1 from ${webhookDeliveries}
	where ${webhookDeliveries.eventId} = ${webhookEvents.id}
		and (${webhookDeliveries.status} is null or ${webhookDeliveries.status} not between 200 and 299)
)`;

const listWebhooks: RunOf<typeof topic, 'list'> = async ({ env, db }, { partner, order, failed, limit }) => {
	const events = await db
		.select()
		.from(webhookEvents)
		.where(
			and(
				partner === undefined ? undefined : ofPartner(partner, failed),
				order === undefined ? undefined : eq(webhookEvents.orderId, order),
				failed ? isFailed : undefined,
			),
		)
		.orderBy(desc(webhookEvents.createdAt), desc(webhookEvents.sequence), webhookEvents.id)
		.limit(limit);
	if (events.length === 0) {
		if (partner !== undefined && !(await findPartner(db, partner))) return fail(404, `there is no partner ${partner}`);
		if (order !== undefined && !(await findOrder(db, order))) return archivedOrNone(db, env, order);
	}
	const { eventId: of, attempt } = webhookDeliveries;
	const isListed = sql`${of} in ${inJson(events.map(({ id }) => id))}`;
	const deliveries = await db.select().from(webhookDeliveries).where(isListed).orderBy(asc(attempt));
	const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId);
	return events.map((event) => webhookRecord(event, byEvent.get(event.id) ?? []));
};

/** The fields `last…` are of the newest attempt that has ended. */
function webhookRecord(event: typeof webhookEvents.$inferSelect, attempts: readonly WebhookDeliveryRow[]) {
	const { deliveries, ...record } = eventRecord(event, attempts);
	const last = deliveries.at(-1);
	return {
		...record,
		partnerId: event.partnerId,
		orderId: event.orderId,
		lastAttemptAt: last?.at ?? null,
		lastStatus: last?.status ?? null,
		lastError: last?.error ?? null,
		deliveries,
	};
}

interface Redelivery {
	/** The event's id; with a full stop and an endpoint's id behind it, at that endpoint alone. */
	readonly id: string;
	/** Only where the webhook is this partner's. */
	readonly partnerId?: string;
}

/**
 * Sends the same id and the same bytes again, also after a delivery, at each endpoint where that can be. Atomic: the state and
 * the audit line are one batch.
 */
export async function redeliver(
	context: Context,
	{ id, partnerId }: Redelivery,
	command: 'webhook redeliver' | 'cabinet webhook redeliver',
) {
	const { env, db, now } = context;
	const found = await db
		.select({ event: webhookEvents, endpoint: webhookEndpoints, deleted: orders.deletedAt })
		.from(webhookEvents)
		.leftJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookEvents.endpointId))
		.leftJoin(orders, eq(orders.id, webhookEvents.orderId))
		.where(eq(id.includes('.') ? webhookEvents.id : webhookEvents.eventId, id));
	const [first] = found;
	if (!first || (partnerId ?? first.event.partnerId) !== first.event.partnerId)
		return fail(404, `there is no webhook ${id}`);
	const problems = found.map(problemOf);
	const rows = found.filter((_, i) => problems[i] === null).map(({ event }) => event.id);
	const [problem] = problems;
	if (rows.length === 0) return fail(409, problem ?? '');
	const { eventId, type, orderId, state, attempts } = first.event;
	const isOne = sql`exists (select 1 from ${webhookEvents} where ${canBeSentAgain(rows)})`;
	const [, again] = await db.batch([
		writeAuditIf(context, { command, subject: eventId, changes: { state, attempts } }, isOne),
		sendAgain(db, rows, now),
	]);
	if (again.length === 0) return fail(409, `webhook ${id} is being delivered at this moment`);
	await wakeWebhooks(env.WEBHOOKS, [eventId]);
	return { id: eventId, type, partnerId: first.event.partnerId, orderId, state: 'due' };
}

interface Found {
	readonly event: typeof webhookEvents.$inferSelect;
	readonly endpoint: WebhookEndpointRow | null;
	/** When its order was deleted. */
	readonly deleted: number | null;
}

/** Why it is not sent to this endpoint; null where it may be. */
function problemOf({ event, endpoint, deleted }: Found): string | null {
	const { eventId: id, partnerId, orderId, type, body } = event;
	if (body === '') return `webhook ${id} was delivered, and its body was dropped since (site show: webhookBodyDays)`;
	if (!endpoint) return `partner ${partnerId} has deleted the webhook URL that ${id} went to`;
	if (!endpoint.enabled || !isWantedType(endpoint.events, type))
		return `partner ${partnerId} does not receive ${type} at ${endpoint.url}`;
	return deleted === null ? null : `order ${orderId} is deleted; its partner gets no webhooks about it`;
}

const redeliverWebhook: RunOf<typeof topic, 'redeliver'> = (context, input) =>
	redeliver(context, input, 'webhook redeliver');

export const webhookRuns: RunsOf<typeof topic> = { list: listWebhooks, redeliver: redeliverWebhook };
