/**
 * The operator's work of each minute: a backup that was broken off ends, partners are paid whose automatic payout is
 * due, new rows of the history are chained, finished orders are archived, alerts are told, the minute is measured, and
 * each hour the books are compared and the history is signed. A run that is missed or comes twice does no harm. What
 * trading needs is the API Worker's cron (`src/api/cron.ts`).
 */
import { endLostHold } from '../backup/hold.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { offeredNetworks } from '../chains/configuration.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { logError } from '../platform/log.ts';
import { flushMetrics } from '../platform/metrics/metric.ts';
import { observe } from '../platform/metrics/observe.ts';
import { objectNamed } from '../platform/region.ts';
import type { AgentState } from '../ports/chain-agent.ts';
import { archiveOrders } from '../treasury/archive/run.ts';
import { runMinute } from './alerts/minute.ts';
import { chainRows } from './chained/append.ts';
import { commandEnv, keeperOf, type OperatorBindings, type OperatorEnv } from './env.ts';
import { payPartnersDue } from './partners/auto-payouts.ts';
import { endVisits } from './partners/visitors.ts';

export async function watch(own: OperatorBindings, now: number): Promise<void> {
	const api = await keeperOf(own).minute();
	const env = commandEnv(own, api);
	observe(env);
	const work: [string, Promise<unknown>][] = [
		['hold', endLostHold(env.DB, now)],
		['payouts', payPartnersDue(env, now)],
		['visits', endVisits({ env, db: databaseOf(env), now, actor: 'service' })],
		['archive', chainAndArchive(env, now, (object) => keeperOf(own).findsArchived(object))],
	];
	const outcomes = await Promise.allSettled(work.map(([, done]) => done));
	for (const [i, outcome] of outcomes.entries())
		if (outcome.status === 'rejected') logError('watchdog_failed', outcome.reason, { part: work[i]?.[0] });
	await runMinute(env, () => agentStates(env), now, { api, own }).catch((error) =>
		logError('watchdog_failed', error, { part: 'alerts' }),
	);
	flushMetrics();
}

/** No row leaves D1 before it is chained. */
async function chainAndArchive(
	env: OperatorEnv,
	now: number,
	isFound: Parameters<typeof archiveOrders>[2],
): Promise<void> {
	if (await chainRows(databaseOf(env), now)) await archiveOrders(env, now, isFound);
}

/** The states of the agents that answer. */
async function agentStates(env: OperatorEnv): Promise<ReadonlyMap<NetworkName, AgentState>> {
	const offered = offeredNetworks(env);
	const asked = offered.map(async (network) => objectNamed(env, env.CHAIN_AGENT, network).state());
	const outcomes = await Promise.allSettled(asked);
	return new Map(
		outcomes.flatMap((outcome, i): [NetworkName, AgentState][] => {
			const network = offered[i];
			if (outcome.status === 'fulfilled' && network) return [[network, outcome.value]];
			logError('watchdog_failed', outcome.status === 'rejected' && outcome.reason, { part: network });
			return [];
		}),
	);
}
