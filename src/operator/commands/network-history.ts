/** `network history`: of each day or hour the longest lag and the lowest reserve. */
import { sql } from 'drizzle-orm';
import { NETWORK_NAMES, type NetworkName } from '../../catalog/networks.ts';
import { usdOfCents } from '../../money/usd.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, isoTime } from '../../platform/time.ts';
import type { RunOf } from '../command.ts';
import { networkHistory as history } from '../history/table.ts';
import { momentOf } from '../topics/moment.ts';
import type { network as topic } from '../topics/network.ts';

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
