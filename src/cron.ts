/**
 * What the cron does each minute: it sets lost alarms again, delivers webhooks that the queue lost, plans the payouts of
 * partners that are due, deletes what is older than it need be kept, archives finished orders, tells the operator what
 * waits, counts the minute for the status page, and each hour compares the books. A run that is missed or comes twice does
 * no harm. Orders expire and stocks are filled in the agents' polls; the cron only keeps the polls going. It also logs what
 * is wrong with the Worker's variables.
 */
import { endLostHold } from './backup/hold.ts';
import type { NetworkName } from './catalog/networks.ts';
import { offeredNetworks } from './chains/configuration.ts';
import { configurationProblems } from './configuration/check.ts';
import { lend } from './lend.ts';
import { pruneVolumes } from './orders/prune.ts';
import { databaseOf } from './platform/d1/database.ts';
import { log, logError } from './platform/log.ts';
import { flushMetrics } from './platform/metrics/metric.ts';
import { objectNamed } from './platform/region.ts';
import type { AgentState } from './ports/chain-agent.ts';
import type { ApiEnv, Env } from './ports/env.ts';
import type { Loan, OperatorService } from './ports/operator.ts';
import { recordMinute } from './status/record.ts';
import { pruneWebhooks, sweepWebhooks } from './webhooks/consume.ts';

export async function watch(env: ApiEnv, now: number): Promise<void> {
	for (const { problem } of configurationProblems(env, 'api')) log('configuration_wrong', { problem });
	const agents = new Map<NetworkName, AgentState>();
	const work: [string, Promise<unknown>][] = [
		['prices', objectNamed(env, env.RATE_BOOK, 'book').wake()],
		...offeredNetworks(env).map((network): [string, Promise<unknown>] => [network, rearm(env, network, agents)]),
		['webhooks', sweepWebhooks(env, now)],
		['payouts', askOperator(env, (operator, loan) => operator.payPartners(now, loan))],
		['pruning', prune(env, now)],
		['hold', endLostHold(env.DB, now)],
		['status', recordMinute(env, now)],
	];
	const outcomes = await Promise.allSettled(work.map(([, done]) => done));
	for (const [i, outcome] of outcomes.entries()) {
		if (outcome.status === 'rejected') logError('watchdog_failed', outcome.reason, { part: work[i]?.[0] });
	}
	await askOperator(env, (operator, loan) => operator.minute(agents, now, loan)).catch((error) =>
		logError('watchdog_failed', error, { part: 'alerts' }),
	);
	flushMetrics();
}

/** Async, so that nothing else of the minute fails with it. @throws where the operator Worker is not bound, or fails */
async function askOperator(env: ApiEnv, ask: (operator: OperatorService, loan: Loan) => Promise<void>): Promise<void> {
	if (!env.OPERATOR) throw new Error('wrangler.toml has no service OPERATOR: the operator Worker is not called');
	await ask(env.OPERATOR, lend(env));
}

/** An agent that does not answer is not in `agents`. */
async function rearm(env: Env, network: NetworkName, agents: Map<NetworkName, AgentState>): Promise<void> {
	agents.set(network, await objectNamed(env, env.CHAIN_AGENT, network).rearm(network));
}

/** One after the other, because pruning deletes rows that would be archived. What fails does not stop the next. */
async function prune(env: ApiEnv, now: number): Promise<void> {
	const parts = [
		() => pruneWebhooks(env, now),
		() => pruneVolumes(databaseOf(env), now),
		() => askOperator(env, (operator, loan) => operator.archive(now, loan)),
	];
	const errors: unknown[] = [];
	for (const part of parts) await part().catch((error) => errors.push(error));
	if (errors.length > 0) throw errors[0];
}
