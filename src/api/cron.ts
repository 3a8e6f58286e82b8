/**
 * The cron of each minute: it sets lost alarms again, delivers webhooks that the queue lost, tells partners what
 * waits for them and the hedger of trades, deletes expired rows, counts
 * the minute for the status page, and logs mistakes in the Worker's variables. A run that is missed or comes twice does
 * no harm. Orders expire and stocks are filled in the agents' polls; the cron only keeps the polls going. The operator
 * Worker has a cron of its own (`operator/cron.ts`).
 */
import { offeredNetworks } from '../chains/configuration.ts';
import { configurationProblems } from '../configuration/check.ts';
import { pruneVolumes } from '../orders/prune.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { log, logError } from '../platform/log.ts';
import { flushMetrics } from '../platform/metrics/metric.ts';
import { objectNamed } from '../platform/region.ts';
import type { OwnEnv } from '../ports/env.ts';
import { recordMinute } from '../status/record.ts';
import { queueTrades } from '../treasury/hedge/queue.ts';
import { tellPartners } from '../webhooks/attention.ts';
import { sweepWebhooks } from '../webhooks/outbox.ts';
import { pruneWebhooks } from '../webhooks/prune.ts';

export async function watch(env: OwnEnv, now: number): Promise<void> {
	for (const { problem } of configurationProblems(env, 'api')) log('configuration_wrong', { problem });
	const work: [string, Promise<unknown>][] = [
		['prices', objectNamed(env, env.RATE_BOOK, 'book').wake()],
		['agents', rearm(env)],
		['webhooks', sweepWebhooks(env, now)],
		['partners', tellPartners(env, now)],
		['hedge', queueTrades(env, now)],
		['pruning', pruneWebhooks(env, now)],
		['volumes', pruneVolumes(databaseOf(env), now)],
		['status', recordMinute(env, now)],
	];
	const outcomes = await Promise.allSettled(work.map(([, done]) => done));
	for (const [i, outcome] of outcomes.entries()) {
		if (outcome.status === 'rejected') logError('watchdog_failed', outcome.reason, { part: work[i]?.[0] });
	}
	flushMetrics();
}

/** Each agent of a network that runs; one that fails keeps no other. @throws where the agents Worker does not answer */
async function rearm(own: OwnEnv): Promise<void> {
	const { problems, variables } = await own.AGENTS.told();
	for (const { problem } of problems) log('configuration_wrong', { problem });
	const rearmed = offeredNetworks(variables).map((network) =>
		objectNamed(own, own.CHAIN_AGENT, network)
			.rearm(network)
			.catch((error) => logError('watchdog_failed', error, { part: network })),
	);
	await Promise.all(rearmed);
}
