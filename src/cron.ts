/**
 * What the cron does each minute: it sets lost alarms again, delivers webhooks that the queue lost, plans the payouts of
 * partners that are due, deletes what is older than it need be kept, and archives finished orders. A run that is missed
 * or comes twice does no harm. Orders expire and stocks are filled in the agents' polls; the cron only keeps the polls
 * going.
 */
import { drizzle } from 'drizzle-orm/d1';
import { offeredNetworks } from './chains/configuration.ts';
import type { Env } from './env.ts';
import { logError } from './log.ts';
import { payPartnersDue } from './operator/partners/auto-payouts.ts';
import { pruneVolumes } from './orders/prune.ts';
import { archiveOrders } from './treasury/archive/run.ts';
import { pruneWebhooks, sweepWebhooks } from './webhooks/consume.ts';

export async function watch(env: Env, now: number): Promise<void> {
	const work: [string, Promise<unknown>][] = [
		['prices', env.RATE_BOOK.getByName('book').wake()],
		...offeredNetworks(env).map((network): [string, Promise<unknown>] => [
			network,
			env.CHAIN_AGENT.getByName(network).rearm(network),
		]),
		['webhooks', sweepWebhooks(env, now)],
		['payouts', payPartnersDue(env, now)],
		['pruning', prune(env, now)],
	];
	const outcomes = await Promise.allSettled(work.map(([, done]) => done));
	for (const [i, outcome] of outcomes.entries()) {
		if (outcome.status === 'rejected') logError('watchdog_failed', outcome.reason, { part: work[i]?.[0] });
	}
}

/** One after the other, because pruning deletes rows that would be archived. What fails does not stop the next. */
async function prune(env: Env, now: number): Promise<void> {
	const parts = [
		() => pruneWebhooks(env, now),
		() => pruneVolumes(drizzle(env.DB), now),
		() => archiveOrders(env, now),
	];
	const errors: unknown[] = [];
	for (const part of parts) await part().catch((error) => errors.push(error));
	if (errors.length > 0) throw errors[0];
}
