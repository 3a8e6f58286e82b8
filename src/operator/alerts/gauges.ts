/** The measurements of each minute: how the networks, prices, transactions and webhooks are. */
import { sql } from 'drizzle-orm';
import { COINS } from '../../catalog/assets.ts';
import { flushMetrics, metric } from '../../platform/metrics/metric.ts';
import { transactions } from '../../treasury/table.ts';
import { webhookEvents } from '../../webhooks/table.ts';
import { AREAS, type Facts, type Waiting } from '../attention/waiting.ts';

/** At most some 150 points: the platform takes 250 of one run. */
export async function measureMinute(facts: Facts, waiting: readonly Waiting[]): Promise<void> {
	const { market, networks, context } = facts;
	const { now } = context;
	const secondsSince = (at: number) => Math.max(0, (now - at) / 1000);
	for (const { name, mode, lastScannedAt, freeAddresses } of networks) {
		if (mode === 'off' || lastScannedAt === null) continue;
		const lagSeconds = secondsSince(Date.parse(lastScannedAt));
		metric('network', { network: name }, { lagSeconds, freeAddresses: freeAddresses ?? 0 });
	}
	for (const coin of COINS) {
		const price = market?.prices[coin];
		if (!price) continue;
		const { at, spreadBps = 0, sources = [] } = price;
		metric('price', { coin }, { ageSeconds: secondsSince(at), spreadBps, sources: sources.length });
	}
	for (const area of AREAS) metric('attention', { area }, { count: waiting.filter((row) => row.area === area).length });
	await measureQueues(facts, secondsSince);
	flushMetrics();
}

/** Two queries in one round trip, over what is unfinished. */
async function measureQueues({ context: { db, now } }: Facts, secondsSince: (at: number) => number): Promise<void> {
	// Literal, because SQLite takes a partial index only for the words that it was made with.
	const [open, due] = await db.batch([
		db
			.select({
				network: transactions.network,
				state: transactions.state,
				count: sql<number>`count(*)`,
				since: sql<number>`min(${transactions.plannedAt})`,
			})
			.from(transactions)
			.where(sql`${transactions.state} <> 'final'`)
			.groupBy(transactions.network, transactions.state),
		db
			.select({ count: sql<number>`count(*)`, since: sql<number | null>`min(${webhookEvents.nextAttemptAt})` })
			.from(webhookEvents)
			.where(sql`${webhookEvents.state} = 'due' and ${webhookEvents.nextAttemptAt} <= ${now}`),
	]);
	for (const { network, state, count, since } of open)
		metric('transactions', { network, state }, { count, oldestSeconds: secondsSince(since) });
	const [{ count = 0, since = null } = {}] = due;
	metric('webhooks', { state: 'due' }, { count, oldestSeconds: since === null ? 0 : secondsSince(since) });
}
