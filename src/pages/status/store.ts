/** The days and the speeds of the status page, from D1. */
import { gte } from 'drizzle-orm';
import { databaseOf } from '../../platform/d1/database.ts';
import { DAY_MILLISECONDS, utcDay } from '../../platform/time.ts';
import { KEPT_DAYS } from '../../status/status.ts';
import { type SpeedRow, speeds, statusDays } from '../../status/table.ts';
import type { DayCount } from './days.ts';

export interface SubjectDay extends DayCount {
	readonly subject: string;
}

/** At most 90 days of each subject. */
export async function readDays(database: D1Database, now: number): Promise<SubjectDay[]> {
	const first = utcDay(now - (KEPT_DAYS - 1) * DAY_MILLISECONDS);
	const { subject, day, minutesOk, minutesBad } = statusDays;
	return databaseOf({ DB: database })
		.select({ subject, day, minutesOk, minutesBad })
		.from(statusDays)
		.where(gte(day, first))
		.orderBy(day);
}

/** A row for each network at most, and one for all. */
export const readSpeeds = (database: D1Database): Promise<SpeedRow[]> =>
	databaseOf({ DB: database }).select().from(speeds).orderBy(speeds.subject);
