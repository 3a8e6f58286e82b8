/** The counters of days that are long over. */
import { lt } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { dailyVolume, unpaidVolume } from './table.ts';

const DAY = 24 * 60 * 60 * 1000;
/** An order leaves the counter of its day within a day of its window; a late deposit counts for 30 days more. */
const KEPT_MILLISECONDS = 60 * DAY;
/** The counters are few, and need no look each minute: only in the first minutes of a UTC day. */
const LOOK_MILLISECONDS = 5 * 60 * 1000;

export async function pruneVolumes(db: DrizzleD1Database, now: number): Promise<void> {
	if (now % DAY > LOOK_MILLISECONDS) return;
	const day = new Date(now - KEPT_MILLISECONDS).toISOString().slice(0, 10);
	await db.batch([
		db.delete(dailyVolume).where(lt(dailyVolume.day, day)),
		db.delete(unpaidVolume).where(lt(unpaidVolume.day, day)),
	]);
}
