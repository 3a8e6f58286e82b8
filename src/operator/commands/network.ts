/** `network list`, `network update` and `network history`; `network-check.ts` has `network check`. */
import { sql } from 'drizzle-orm';
import { NETWORK_NAMES, type NetworkName } from '../../catalog/networks.ts';
import { networkSettings as settingsOf } from '../../catalog/settings.ts';
import { networkSettings as networkTable } from '../../catalog/table.ts';
import { networkModeOrProblem } from '../../chains/configuration.ts';
import { usdOfCents } from '../../money/usd.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, isoTime, isoTimeOrNull } from '../../platform/time.ts';
import type { AgentState, LastError } from '../../ports/chain-agent.ts';
import { networkReport } from '../../pricing/market.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { hotAddressesOf } from '../asking.ts';
import { type Context, fail, type RunOf, type RunsOf } from '../command.ts';
import { reserveUsdCents } from '../history/reserve.ts';
import { networkHistory as history } from '../history/table.ts';
import { changed, changeSettings, currentSettings } from '../settings/changes.ts';
import { momentOf } from '../topics/moment.ts';
import type { network as topic } from '../topics/network.ts';
import { checkNetworks } from './network-check.ts';

const updateNetwork: RunOf<typeof topic, 'update'> = async (context, { name, ...wanted }) => {
	const settings = await currentSettings(context);
	const { after, changes } = changed(settingsOf(settings, name), wanted);
	const { send, receive, confirmations, aboveUsd, confirmationsAbove } = after;
	if ((aboveUsd === null) !== (confirmationsAbove === null))
		return fail(409, 'aboveUsd and confirmationsAbove are set together, or both none');
	const failure = await changeSettings(context, settings, {
		of: { table: 'network', name, named: wanted },
		changes,
		write: (condition) =>
			context.db
				.insert(networkTable)
				.select(
					sql`select ${name}, ${Number(send)}, ${Number(receive)}, ${confirmations}, ${aboveUsd}, ${confirmationsAbove} where ${condition}`,
				)
				.onConflictDoUpdate({ target: networkTable.name, set: after }),
	});
	return failure ?? (await networkRecords(context, [name]))[0];
};

const usdOrNull = (cents: number | null): string | null => (cents === null ? null : usdOfCents(cents));

/** The last error is shown for this long. */
const RECENT_MILLISECONDS = HOUR_MILLISECONDS;

/**
 * `answers`: it was scanned for deposits lately, at `lastScannedAt`. Otherwise it takes no orders until it is.
 * `hotAddress`: the hot wallet, which the operator fills; where the signer does not say it, as the agent has reported it
 * lately. `freeAddresses`: null where the agent does not answer.
 */
export async function networkRecords(context: Context, names: readonly NetworkName[]) {
	const { now } = context;
	const [settings, market, wallets, states] = await Promise.all([
		currentSettings(context),
		marketOrNull(context.env),
		walletsOf(context, names),
		Promise.all(names.map((name) => stateOf(context, name))),
	]);
	return names.map((name, i) => ({
		name,
		mode: modeOf(context, name),
		...settingsOf(settings, name),
		answers: market !== null && networkReport(market, name, now) !== null,
		lastScannedAt: isoTimeOrNull(market?.networks[name]?.at ?? null),
		height: states[i]?.height ?? null,
		reserveUsd: usdOrNull(market && reserveUsdCents(market, name, now)),
		freeAddresses: states[i]?.freeAddresses ?? null,
		hotAddress: wallets.get(name) ?? (market && networkReport(market, name, now)?.hotAddress) ?? null,
		lastError: problemOf(context, name) ?? recentError(states[i], now)?.text ?? null,
		lastErrorAt: isoTimeOrNull(recentError(states[i], now)?.at ?? null),
		failures: recentError(states[i], now)?.failures ?? null,
	}));
}

const problemOf = ({ env }: Context, name: NetworkName): string | null => {
	const found = networkModeOrProblem(env, name);
	return 'problem' in found ? found.problem : null;
};

function modeOf({ env }: Context, name: NetworkName): 'nodes' | 'sandbox' | 'off' | 'misconfigured' {
	const found = networkModeOrProblem(env, name);
	return 'problem' in found ? 'misconfigured' : (found.mode?.on ?? 'off');
}

/** Null for a network that this deployment does not run, and where its agent does not answer. */
async function stateOf({ env }: Context, name: NetworkName): Promise<AgentState | null> {
	if (!isRun(env, name)) return null;
	try {
		return await objectNamed(env, env.CHAIN_AGENT, name).state();
	} catch (error) {
		logError('network_not_read', error, { network: name });
		return null;
	}
}

/** The wallets of those networks that this deployment runs and the signer answers for. */
async function walletsOf({ env }: Context, names: readonly NetworkName[]): Promise<ReadonlyMap<NetworkName, string>> {
	const running = names.filter((name) => isRun(env, name));
	const { known, wrong } = await hotAddressesOf(env.SIGNER, running);
	for (const [network, why] of wrong) logError('network_not_read', why, { network });
	return known;
}

function isRun(env: Context['env'], name: NetworkName): boolean {
	const found = networkModeOrProblem(env, name);
	return 'mode' in found && found.mode !== null;
}

function recentError(state: AgentState | null | undefined, now: number): LastError | null {
	const error = state?.lastError;
	return error && now - error.at <= RECENT_MILLISECONDS ? error : null;
}

interface Noted {
	readonly network: NetworkName;
	/** When the day or hour begins, Unix milliseconds. */
	readonly start: number;
	readonly lag: number | null;
	readonly cents: number | null;
}

/** The oldest first. */
export const networkHistory: RunOf<typeof topic, 'history'> = async ({ db, now }, { name, by, since }) => {
	const step = by === 'day' ? DAY_MILLISECONDS : HOUR_MILLISECONDS;
	const names = inJson(name === undefined ? NETWORK_NAMES : [name]);
	const rows = await db.all<Noted>(sql`
		select ${history.network} as network, ${history.at} - ${history.at} % ${step} as start, max(${history.lagSeconds}) as lag,
			min(${history.reserveUsdCents}) as cents
		from ${history}
		where ${history.network} in ${names} and ${history.at} >= ${momentOf(since, now) ?? 0}
		group by 1, 2 order by 1, 2`);
	return rows.map(({ network, start, lag, cents }) => ({
		network,
		at: isoTime(start),
		lagSeconds: lag,
		reserveUsd: cents === null ? null : usdOfCents(cents),
	}));
};

export const networkRuns: RunsOf<typeof topic> = {
	list: (context) => networkRecords(context, NETWORK_NAMES),
	check: checkNetworks,
	update: updateNetwork,
	history: networkHistory,
};
