/** `webhook list` and `webhook redeliver`. */
import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm';
import { writeAuditIf } from '../../audit/log.ts';
import { findOrder } from '../../orders/store.ts';
import { orders } from '../../orders/table.ts';
import { findPartner } from '../../partners/store.ts';
import { partners } from '../../partners/table.ts';
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
	const ids = inJson(events.map(({ id }) => id));
	const deliveries = await db
		.select()
		.from(webhookDeliveries)
		.where(sql`${webhookDeliveries.eventId} in ${ids}`)
		.orderBy(asc(webhookDeliveries.attempt));
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
	readonly id: string;
	/** Only where the webhook is this partner's. */
	readonly partnerId?: string;
}

/**
 * Sends the same id and the same bytes again, also after a delivery. Atomic: the state and the audit line are one
 * batch.
 */
export async function redeliver(
	context: Context,
	{ id, partnerId }: Redelivery,
	command: 'webhook redeliver' | 'cabinet webhook redeliver',
) {
	const { env, db, now } = context;
	const [found] = await db
		.select({
			event: webhookEvents,
			url: partners.webhookUrl,
			types: partners.webhookEvents,
			deleted: orders.deletedAt,
		})
		.from(webhookEvents)
		.innerJoin(partners, eq(partners.id, webhookEvents.partnerId))
		.leftJoin(orders, eq(orders.id, webhookEvents.orderId))
		.where(eq(webhookEvents.id, id));
	if (!found || (partnerId ?? found.event.partnerId) !== found.event.partnerId)
		return fail(404, `there is no webhook ${id}`);
	const { event, url, types, deleted } = found;
	if (event.body === '')
		return fail(409, `webhook ${id} was delivered, and its body was dropped since (site show: webhookBodyDays)`);
	if (url === null) return fail(409, `partner ${event.partnerId} has no webhook URL`);
	if (!isWantedType(types, event.type)) return fail(409, `partner ${event.partnerId} does not receive ${event.type}`);
	if (deleted !== null) return fail(409, `order ${event.orderId} is deleted; its partner gets no webhooks about it`);
	const [, again] = await db.batch([
		writeAuditIf(
			context,
			{ command, subject: id, changes: { state: event.state, attempts: event.attempts } },
			sql`exists (select 1 from ${webhookEvents} where ${canBeSentAgain(id)})`,
		),
		sendAgain(db, id, now),
	]);
	if (again.length === 0) return fail(409, `webhook ${id} is being delivered at this moment`);
	await wakeWebhooks(env.WEBHOOKS, [id]);
	return { id, type: event.type, partnerId: event.partnerId, orderId: event.orderId, state: 'due' };
}

const redeliverWebhook: RunOf<typeof topic, 'redeliver'> = (context, input) =>
	redeliver(context, input, 'webhook redeliver');

export const webhookRuns: RunsOf<typeof topic> = { list: listWebhooks, redeliver: redeliverWebhook };
