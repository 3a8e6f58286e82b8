/**
 * Counts the minutes of the status page: the cron asks once a minute, and one statement adds the minute to every subject.
 * A minute is counted once, however often the cron runs in it; one that the cron missed is not counted at all.
 */
import { lt, sql } from 'drizzle-orm';
import { type Db, databaseOf } from '../platform/d1/database.ts';
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS, utcDay } from '../platform/time.ts';
import type { Env } from '../ports/env.ts';
import type { Market } from '../pricing/market.ts';
import { marketOrNull } from '../pricing/market-now.ts';
import { statusOf } from './now.ts';
import { countSpeeds } from './speed.ts';
import { KEPT_DAYS, PRICES } from './status.ts';
import { statusDays } from './table.ts';

/** Old rows are deleted, and speeds are counted, only in the first minutes of a UTC day. */
const LOOK_MILLISECONDS = 5 * MINUTE_MILLISECONDS;

export async function recordMinute(env: Env, now: number): Promise<void> {
	const db = databaseOf(env);
	await addMinute(db, worked(await marketOrNull(env), now), now);
	await pruneStatusDays(db, now);
	if (isDayYoung(now)) await countSpeeds(db, now);
}

const isDayYoung = (now: number): boolean => now % DAY_MILLISECONDS < LOOK_MILLISECONDS;

export async function pruneStatusDays(db: Db, now: number): Promise<void> {
	if (isDayYoung(now))
		await db.delete(statusDays).where(lt(statusDays.day, utcDay(now - KEPT_DAYS * DAY_MILLISECONDS)));
}

/** Without a market nothing can be quoted; of the networks nothing is known then. */
function worked(market: Market | null, now: number): Record<string, 0 | 1> {
	if (!market) return { [PRICES]: 0 };
	const { subjects } = statusOf(market, now);
	// A network that has never been seen is only just being set up.
	const known = subjects.filter(({ state, lastAt }) => state !== 'silent' || lastAt !== null);
	return Object.fromEntries(known.map(({ subject, state }) => [subject, state === 'ok' ? 1 : 0]));
}

/** Atomic: one statement for all subjects. */
export async function addMinute(db: Db, minutes: Readonly<Record<string, 0 | 1>>, now: number): Promise<void> {
	await db.run(sql`
		INSERT INTO ${statusDays} (day, subject, minutes_ok, minutes_bad, last_minute)
		SELECT ${utcDay(now)}, key, value, 1 - value, ${Math.floor(now / MINUTE_MILLISECONDS)}
		FROM json_each(${JSON.stringify(minutes)}) WHERE true
		ON CONFLICT (day, subject) DO UPDATE SET
			minutes_ok = minutes_ok + excluded.minutes_ok,
			minutes_bad = minutes_bad + excluded.minutes_bad,
			last_minute = excluded.last_minute
		WHERE last_minute < excluded.last_minute
	`);
}
