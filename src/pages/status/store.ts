/** The days of the status page, from D1. */
import { gte } from 'drizzle-orm';
import { databaseOf } from '../../platform/d1/database.ts';
import { KEPT_DAYS } from '../../status/status.ts';
import { statusDays } from '../../status/table.ts';
import type { DayCount } from './days.ts';

const DAY = 86_400_000;

export interface SubjectDay extends DayCount {
	readonly subject: string;
}

/** At most 90 days of each subject. */
export async function readDays(database: D1Database, now: number): Promise<SubjectDay[]> {
	const first = new Date(now - (KEPT_DAYS - 1) * DAY).toISOString().slice(0, 10);
	const { subject, day, minutesOk, minutesBad } = statusDays;
	return databaseOf({ DB: database })
		.select({ subject, day, minutesOk, minutesBad })
		.from(statusDays)
		.where(gte(day, first))
		.orderBy(day);
}
