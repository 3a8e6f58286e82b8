/**
 * What the cron does each minute: it sets lost alarms again, delivers webhooks that the queue lost, and deletes old
 * deliveries. A run that is missed or comes twice does no harm. Orders expire and stocks are filled in the agents'
 * polls; the cron only keeps the polls going.
 */
import { offeredNetworks } from './chains/configuration.ts';
import type { Env } from './env.ts';
import { logError } from './log.ts';
import { objectNamed } from './region.ts';
import { pruneWebhooks, sweepWebhooks } from './webhooks/consume.ts';

export async function watch(env: Env, now: number): Promise<void> {
	const work: [string, Promise<unknown>][] = [
		['prices', objectNamed(env, env.RATE_BOOK, 'book').wake()],
		...offeredNetworks(env).map((network): [string, Promise<unknown>] => [
			network,
			objectNamed(env, env.CHAIN_AGENT, network).rearm(network),
		]),
		['webhooks', sweepWebhooks(env, now)],
		['pruning', pruneWebhooks(env, now)],
	];
	const outcomes = await Promise.allSettled(work.map(([, done]) => done));
	for (const [i, outcome] of outcomes.entries()) {
		if (outcome.status === 'rejected') logError('watchdog_failed', outcome.reason, { part: work[i]?.[0] });
	}
}
