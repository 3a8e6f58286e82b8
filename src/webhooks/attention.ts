/**
 * The things that wait for a partner. Their cabinet shows them, and `partner.attention` tells of them. An event's id follows
 * from its thing, so each thing is one event, however often the cron comes; an event outlives the week in which it is told.
 */
import { and, desc, eq, gt, isNotNull, isNull, lte, sql } from 'drizzle-orm';
import { sha256Hex } from '../crypto/tokens.ts';
import { isUndecided, orderChanges, orders } from '../orders/table.ts';
import { partnerKeys, partners, webhookEndpoints } from '../partners/table.ts';
import { type Db, databaseOf } from '../platform/d1/database.ts';
import { inJson } from '../platform/d1/lists.ts';
import { DAY_MILLISECONDS, utcDay } from '../platform/time.ts';
import type { PartnerWait } from '../ports/desk.ts';
import type { Env } from '../ports/env.ts';
import { wakeWebhooks } from '../ports/wake.ts';
import { attentionEvent, PARTNER_ATTENTION } from './events/partner-attention.ts';
import { type NewWebhookEventRow, webhookDeliveries, webhookEvents } from './table.ts';

/** An endpoint is failing after this many failed attempts in a row, about a minute and a half. */
export const FAILING_ATTEMPTS = 3;
/** Before its end, a key that was made for longer than this is told of. */
const KEY_MILLISECONDS = 7 * DAY_MILLISECONDS;
/** Older things are not told: events are kept for 30 days, so none is told twice. */
const TOLD_MILLISECONDS = 7 * DAY_MILLISECONDS;
/** Things of one kind, the newest. */
const MOST = 1_000;
/** Things that one run of the cron tells; the next minute tells the rest. */
const TOLD_AT_ONCE = 100;

/** Whose; null: all partners'. */
interface Asked {
	readonly partnerId: string | null;
	/** Unix milliseconds. */
	readonly now: number;
}

export async function partnerWaits(db: Db, asked: Asked): Promise<PartnerWait[]> {
	const [undecided, refunds, endpoints, payouts, keys] = await db.batch([
		undecidedOrders(db, asked),
		askedRefunds(db, asked),
		failingEndpoints(db, asked),
		waitingPayouts(db, asked),
		expiringKeys(db, asked),
	]);
	const begun = keys.map(({ endsAt, ...row }) => ({ ...row, since: (endsAt ?? 0) - KEY_MILLISECONDS }));
	return [
		...waits('order_undecided', undecided),
		...waits('refund_asked', refunds),
		...waits('endpoint_failing', endpoints),
		...waits('payout_waits', payouts),
		...waits('key_expires', begun),
	];
}

type WaitRow = Omit<PartnerWait, 'reason' | 'since'> & { readonly since: number | null };

const waits = (reason: PartnerWait['reason'], rows: readonly WaitRow[]): PartnerWait[] =>
	rows.map((row) => ({ ...row, since: row.since ?? 0, reason }));

const undecidedOrders = (db: Db, { partnerId }: Asked) =>
	db
		.select({ partnerId: orders.partnerId, subject: orders.id, since: orderChanges.at })
		.from(orders)
		.innerJoin(orderChanges, and(eq(orderChanges.orderId, orders.id), eq(orderChanges.sequence, orders.sequence)))
		// The words of the index by status, or of that by partner and status.
		.where(
			and(
				partnerId === null ? sql`lower(${orders.status}) = 'emergency'` : eq(orders.partnerId, partnerId),
				isUndecided(),
			),
		)
		.orderBy(desc(orderChanges.at))
		.limit(MOST);

const askedRefunds = (db: Db, { partnerId }: Asked) =>
	db
		.select({ partnerId: orders.partnerId, subject: orders.id, since: orders.refundAskedAt })
		.from(orders)
		.where(
			and(
				isNotNull(orders.refundAskedAt),
				eq(orders.refundAskedBy, 'payer'),
				isNull(orders.deletedAt),
				// The plus keeps SQLite from the index by partner, by which it would read all that the partner ever made.
				partnerId === null ? undefined : sql`+${orders.partnerId} = ${partnerId}`,
			),
		)
		.limit(MOST);

const failingEndpoints = (db: Db, { partnerId, now }: Asked) =>
	db
		.select({
			partnerId: webhookEndpoints.partnerId,
			subject: webhookEndpoints.id,
			since: sql<number>`min(${webhookEvents.createdAt})`.as('since'),
		})
		.from(webhookEvents)
		.innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookEvents.endpointId))
		.where(
			and(
				// Literal, for the partial index. An event that was not wanted has ended without an attempt.
				sql`${webhookEvents.state} <> 'delivered'`,
				gt(webhookEvents.createdAt, now - DAY_MILLISECONDS),
				sql`(${webhookEvents.state} = 'due' and ${webhookEvents.attempts} >= ${FAILING_ATTEMPTS}
					or ${webhookEvents.state} = 'ended' and exists (select 1 from ${webhookDeliveries}
						where ${webhookDeliveries.eventId} = ${webhookEvents.id}))`,
				// Otherwise one that fails for ever would be told of for ever.
				sql`${webhookEvents.type} <> ${PARTNER_ATTENTION}`,
				isNull(webhookEndpoints.orderId),
				eq(webhookEndpoints.enabled, true),
				partnerId === null ? undefined : eq(webhookEndpoints.partnerId, partnerId),
			),
		)
		.groupBy(webhookEndpoints.id)
		.limit(MOST);

const waitingPayouts = (db: Db, { partnerId }: Asked) =>
	db
		.select({
			partnerId: partners.id,
			subject: sql<string>`${partners.id}`.as('subject'),
			since: partners.autoPayoutWaitsSince,
		})
		.from(partners)
		.where(
			and(
				sql`${partners.autoPayout} <> 'none'`,
				isNotNull(partners.autoPayoutWaitsSince),
				partnerId === null ? undefined : eq(partners.id, partnerId),
			),
		)
		.limit(MOST);

const expiringKeys = (db: Db, { partnerId, now }: Asked) =>
	db
		.select({ partnerId: partnerKeys.partnerId, subject: partnerKeys.id, endsAt: partnerKeys.expiresAt })
		.from(partnerKeys)
		.where(
			and(
				gt(partnerKeys.expiresAt, now),
				lte(partnerKeys.expiresAt, now + KEY_MILLISECONDS),
				sql`${partnerKeys.expiresAt} - ${partnerKeys.createdAt} > ${KEY_MILLISECONDS}`,
				partnerId === null ? undefined : eq(partnerKeys.partnerId, partnerId),
			),
		)
		.limit(MOST);

/** Tells the partners who want it of what began to wait for them. In the cron of each minute; safe to repeat. */
export async function tellPartners(env: Pick<Env, 'DB' | 'WEBHOOKS'>, now: number): Promise<void> {
	const db = databaseOf(env);
	const waits = (await partnerWaits(db, { partnerId: null, now })).filter(
		({ since }) => since > now - TOLD_MILLISECONDS,
	);
	if (waits.length === 0) return;
	const events = await Promise.all(
		waits.map(async (wait) => attentionEvent({ id: await eventIdOf(wait, now), partnerId: wait.partnerId, now }, wait)),
	);
	const [told, wanting] = await db.batch([
		db
			.selectDistinct({ id: webhookEvents.eventId })
			.from(webhookEvents)
			.where(sql`${webhookEvents.eventId} in ${inJson(events.map(({ id }) => id))}`),
		db
			.selectDistinct({ id: webhookEndpoints.partnerId })
			.from(webhookEndpoints)
			.where(
				sql`${webhookEndpoints.partnerId} in ${inJson([...new Set(waits.map((wait) => wait.partnerId))])}
					and ${webhookEndpoints.orderId} is null and ${webhookEndpoints.enabled} = 1
					and exists (select 1 from json_each(${webhookEndpoints.events}) where value = ${PARTNER_ATTENTION})`,
			),
	]);
	const [known, listening] = [new Set(told.map(({ id }) => id)), new Set(wanting.map(({ id }) => id))];
	const due = events.filter(({ id, partnerId }) => !known.has(id) && listening.has(partnerId)).slice(0, TOLD_AT_ONCE);
	const [first, ...others] = due.map((event) => insertOnce(db, event));
	if (!first) return;
	await db.batch([first, ...others]);
	await wakeWebhooks(
		env.WEBHOOKS,
		due.map(({ id }) => id),
	);
}

/** Two runs at once store one event. Its rows, one for each endpoint, are the trigger's. */
const insertOnce = (db: Db, { id, partnerId, orderId, type, body, createdAt }: NewWebhookEventRow) =>
	db.insert(webhookEvents).select(
		sql`select ${id}, ${partnerId}, ${orderId}, null, ${type}, ${body}, 'due', 0, ${createdAt}, ${createdAt}, '', ''
			where not exists (select 1 from ${webhookEvents} where ${webhookEvents.eventId} = ${id})`,
	);

/** A UUID of version 8, of which sixteen bytes of a hash are what is free. */
async function eventIdOf({ partnerId, reason, subject, since }: PartnerWait, now: number): Promise<string> {
	const occasion = reason === 'endpoint_failing' ? utcDay(now) : String(since);
	const hash = await sha256Hex(['attention', partnerId, reason, subject, occasion].join(' '));
	const part = (from: number, to: number): string => hash.slice(from, to);
	return `${part(0, 8)}-${part(8, 12)}-8${part(13, 16)}-8${part(17, 20)}-${part(20, 32)}`;
}
