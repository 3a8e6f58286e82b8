/** Webhooks that were given up or that keep failing, by partner. */
import { eq, sql } from 'drizzle-orm';
import { partners } from '../../partners/table.ts';
import { FAILING_ATTEMPTS } from '../../webhooks/attention.ts';
import { webhookDeliveries, webhookEvents } from '../../webhooks/table.ts';
import type { Facts, Waiting } from './waiting.ts';

export async function waitingWebhooks({ context: { db } }: Facts): Promise<Waiting[]> {
	const counted = {
		partner: webhookEvents.partnerId,
		name: partners.name,
		events: sql<number>`count(*)`,
		since: sql<number>`min(${webhookEvents.createdAt})`,
	};
	// A suppressed webhook has ended too, but without an attempt.
	const wasTried = sql`exists (select 1 from ${webhookDeliveries} where ${webhookDeliveries.eventId} = ${webhookEvents.id})`;
	// Literal, because SQLite takes a partial index only for the words that it was made with.
	const [ended, failing] = await db.batch([
		db
			.select(counted)
			.from(webhookEvents)
			.innerJoin(partners, eq(partners.id, webhookEvents.partnerId))
			.where(sql`${webhookEvents.state} = 'ended' and ${wasTried}`)
			.groupBy(webhookEvents.partnerId),
		db
			.select(counted)
			.from(webhookEvents)
			.innerJoin(partners, eq(partners.id, webhookEvents.partnerId))
			.where(sql`${webhookEvents.state} = 'due' and ${webhookEvents.attempts} >= ${sql.raw(String(FAILING_ATTEMPTS))}`)
			.groupBy(webhookEvents.partnerId),
	]);
	const row = { area: 'webhook' } as const;
	return [
		...ended.map(({ partner, name, events, since }) => ({
			...row,
			subject: partner,
			sort: 'ended',
			since,
			cause: `${events} webhooks to ${name} were given up after the last attempt`,
			todo: `tell the partner; \`webhook list --partner ${partner} --failed\`, then \`webhook redeliver ID\` each`,
		})),
		...failing.map(({ partner, name, events, since }) => ({
			...row,
			subject: partner,
			sort: 'failing',
			since,
			cause: `${events} webhooks to ${name} keep failing; the service tries them again by itself, for 75 hours in all`,
			todo: `tell the partner; \`webhook list --partner ${partner} --failed\` shows the endpoint’s answers`,
		})),
	];
}
