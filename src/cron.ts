/**
 * What the cron does each minute: it sets lost alarms again, delivers webhooks that the queue lost, and deletes old
 * deliveries. It also says in the log what is wrong with the Worker's variables. A run that is missed or comes twice does no harm. Orders expire and stocks are filled in the agents'
 * polls; the cron only keeps the polls going.
 */
import { offeredNetworks } from './chains/configuration.ts';
import { configurationProblems } from './configuration/check.ts';
import type { Env } from './env.ts';
import { log, logError } from './log.ts';
import { pruneWebhooks, sweepWebhooks } from './webhooks/consume.ts';

export async function watch(env: Env, now: number): Promise<void> {
	for (const { problem } of configurationProblems(env, 'api')) log('configuration_wrong', { problem });
	const work: [string, Promise<unknown>][] = [
		['prices', env.RATE_BOOK.getByName('book').wake()],
		...offeredNetworks(env).map((network): [string, Promise<unknown>] => [
			network,
			env.CHAIN_AGENT.getByName(network).rearm(network),
		]),
		['webhooks', sweepWebhooks(env, now)],
		['pruning', pruneWebhooks(env, now)],
	];
	const outcomes = await Promise.allSettled(work.map(([, done]) => done));
	for (const [i, outcome] of outcomes.entries()) {
		if (outcome.status === 'rejected') logError('watchdog_failed', outcome.reason, { part: work[i]?.[0] });
	}
}
