/**
 * Notes how each network is, once an hour, for plots. Atomic: one batch writes the hour and deletes what is older than 90
 * days. Of runs in one hour the first writes.
 */
import { lt, sql } from 'drizzle-orm';
import { offeredNetworks } from '../../chains/configuration.ts';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../platform/time.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import type { Context } from '../command.ts';
import { reserveUsdCents } from './reserve.ts';
import { networkHistory } from './table.ts';

const KEPT_MILLISECONDS = 90 * DAY_MILLISECONDS;

export async function noteNetworks(context: Context): Promise<void> {
	const { env, db, now } = context;
	const market = await marketOrNull(context.env);
	if (!market) return;
	const rows = offeredNetworks(env).map((name) => {
		const scannedAt = market.networks[name]?.at;
		const lagSeconds = scannedAt === undefined ? null : Math.max(0, Math.floor((now - scannedAt) / 1000));
		return [name, lagSeconds, reserveUsdCents(market, name, now)];
	});
	const hour = sql`select value ->> 0, ${now - (now % HOUR_MILLISECONDS)}, value ->> 1, value ->> 2 from json_each(${JSON.stringify(rows)}) where true`;
	await db.batch([
		db.insert(networkHistory).select(hour).onConflictDoNothing(),
		db.delete(networkHistory).where(lt(networkHistory.at, now - KEPT_MILLISECONDS)),
	]);
}
