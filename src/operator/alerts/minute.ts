/**
 * Reads what waits, measures, tells the alert endpoint, and each hour compares the books. The agents are asked how they are
 * only where somebody is told. What is to be told is stored before it is posted (`store.ts`).
 */
import { NETWORK_NAMES, type NetworkName } from '../../catalog/networks.ts';
import { networkMode } from '../../chains/configuration.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { log, logError } from '../../platform/log.ts';
import { areMetricsOn } from '../../platform/metrics/metric.ts';
import { HOUR_MILLISECONDS, isoTime, isoTimeOrNull, MINUTE_MILLISECONDS } from '../../platform/time.ts';
import type { AgentState } from '../../ports/chain-agent.ts';
import { type Market, networkReport } from '../../pricing/market.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { everythingThatWaits, unreadAreas } from '../attention/collect.ts';
import type { Facts, NetworkState, Waiting } from '../attention/waiting.ts';
import { watchAudit } from '../audit.ts';
import { watchHistory } from '../chained/hourly.ts';
import type { Context, Deployment } from '../command.ts';
import type { OperatorEnv } from '../env.ts';
import { currentSettings } from '../settings/changes.ts';
import { compareBooks } from './books.ts';
import { changesOf } from './changes.ts';
import { measureMinute } from './gauges.ts';
import { messageBody, postAlerts, postTo } from './post.ts';
import { proveEachHour } from './solvency.ts';
import { storeChanges, storedAlerts } from './store.ts';
import { alertTarget, quietMilliseconds } from './target.ts';

/** Asks the agents; those that do not answer are not in it. */
type AskAgents = () => Promise<ReadonlyMap<NetworkName, AgentState>>;

export async function runMinute(
	env: OperatorEnv,
	askAgents: AskAgents,
	now: number,
	deployment?: Deployment,
): Promise<void> {
	const context: Context = { env, db: databaseOf(env), now, actor: 'service', ...(deployment && { deployment }) };
	if (alertTarget(env) || areMetricsOn()) {
		try {
			await evaluate(context, await askAgents());
		} catch (error) {
			logError('alerts_not_evaluated', error);
			await tellUnread(env, now);
		}
	}
	await watchAudit(context).catch((error) => logError('watchdog_failed', error, { part: 'audit' }));
	await watchHistory(context).catch((error) => logError('watchdog_failed', error, { part: 'history' }));
	await proveEachHour(context).catch((error) => logError('watchdog_failed', error, { part: 'solvency' }));
	await compareBooks(context);
}

/** @throws what D1 throws */
async function evaluate(context: Context, agents: ReadonlyMap<NetworkName, AgentState>): Promise<void> {
	const { env } = context;
	const facts = await minuteFacts(context, agents);
	const waiting = await everythingThatWaits(facts);
	if (alertTarget(env) && (await storeAlerts(facts, waiting))) await postAlerts(env);
	if (areMetricsOn()) await measureMinute(facts, waiting);
}

/** Is there anything to post now? */
async function storeAlerts(facts: Facts, waiting: readonly Waiting[]): Promise<boolean> {
	const { env, db, now } = facts.context;
	const quiet = { unread: unreadAreas(waiting, facts), quietMilliseconds: quietMilliseconds(env), now };
	const stored = await storedAlerts(db);
	const changes = changesOf(waiting, stored, quiet);
	for (const { key } of changes.dropped) log('alert_dropped', { key });
	await storeChanges(db, changes, now);
	const isDue = stored.some(({ state, nextAttemptAt }) => state !== 'told' && nextAttemptAt <= now);
	return isDue || changes.raised.length > 0 || changes.over.length > 0;
}

/** The market's settings are at most some seconds old, and cost no query. */
async function minuteFacts(context: Context, agents: ReadonlyMap<NetworkName, AgentState>): Promise<Facts> {
	const market = await marketOrNull(context.env);
	const settings = market?.settings ?? (await currentSettings(context));
	return { context, settings, market, networks: NETWORK_NAMES.map((name) => stateOf(context, market, agents, name)) };
}

function stateOf(
	{ env, now }: Context,
	market: Market | null,
	agents: ReadonlyMap<NetworkName, AgentState>,
	name: NetworkName,
): NetworkState {
	const { lastError = null, freeAddresses = null } = agents.get(name) ?? {};
	const report = market?.networks[name];
	return {
		name,
		mode: networkMode(env, name)?.on ?? 'off',
		answers: market !== null && networkReport(market, name, now) !== null,
		lastScannedAt: isoTimeOrNull(report?.at ?? null),
		freeAddresses,
		hotAddress: report?.hotAddress ?? null,
		lastError: lastError?.text ?? null,
		lastErrorAt: isoTimeOrNull(lastError?.at ?? null),
		failures: lastError?.failures ?? null,
	};
}

const REST_MILLISECONDS = 10 * MINUTE_MILLISECONDS;
/** When this isolate posted that alert last. */
let toldAt = 0;

/**
 * The alert for the case that D1 does not answer, so that no alert can be read or stored. It is posted at once and not
 * stored. Its id is the same for an hour, so a receiver that remembers ids is told once an hour.
 */
async function tellUnread(env: OperatorEnv, now: number): Promise<void> {
	const target = alertTarget(env);
	if (!target || now - toldAt < REST_MILLISECONDS) return;
	const hour = now - (now % HOUR_MILLISECONDS);
	const eventId = `attention-unread-${hour}`;
	const cause = 'what waits could not be read or stored: the database does not answer';
	const todo = 'the log line alerts_not_evaluated says why';
	const data = { key: 'attention all', area: 'attention', subject: 'all', cause, todo, since: null };
	const more = { raisedAt: isoTime(hour), goneAt: null };
	const text = `attention all: ${cause}. To do: ${todo}`;
	const body = messageBody({ id: eventId, now: hour }, 'alert.raised', text, { ...data, ...more });
	const error = await postTo(target, { eventId, attempt: 1, body });
	if (error === null) toldAt = now;
	else log('alert_not_accepted', { key: 'attention all', reason: error });
}
