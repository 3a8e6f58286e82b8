/** The counters of days that are long over. */
import { lt } from 'drizzle-orm';
import type { Db } from '../platform/d1/database.ts';
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS, utcDay } from '../platform/time.ts';
import { dailyVolume, unpaidVolume } from './table.ts';

/** An order leaves the counter of its day within a day of its window; a late deposit counts for 30 days more. */
const KEPT_MILLISECONDS = 60 * DAY_MILLISECONDS;
/** The counters are few, and need no look each minute: only in the first minutes of a UTC day. */
const LOOK_MILLISECONDS = 5 * MINUTE_MILLISECONDS;

export async function pruneVolumes(db: Db, now: number): Promise<void> {
	if (now % DAY_MILLISECONDS > LOOK_MILLISECONDS) return;
	const day = utcDay(now - KEPT_MILLISECONDS);
	await db.batch([
		db.delete(dailyVolume).where(lt(dailyVolume.day, day)),
		db.delete(unpaidVolume).where(lt(unpaidVolume.day, day)),
	]);
}
