/** `audit list`: who changed what. */
import { and, desc, eq, gte, lt, sql } from 'drizzle-orm';
import { auditLog } from '../../audit/table.ts';
import type { RunOf, RunsOf } from '../command.ts';
import { isoTime } from '../shown.ts';
import type { audit as topic } from '../topics/audit.ts';
import { momentOf } from '../topics/moment.ts';

const listAudit: RunOf<typeof topic, 'list'> = async ({ db, now }, { since, until, subject, limit }) => {
	const from = since === undefined ? null : momentOf(since, now);
	const before = until === undefined ? null : momentOf(until, now);
	const rows = await db
		.select()
		.from(auditLog)
		.where(
			and(
				from === null ? undefined : gte(auditLog.at, from),
				before === null ? undefined : lt(auditLog.at, before),
				subject === undefined ? undefined : eq(auditLog.subject, subject),
			),
		)
		.orderBy(desc(auditLog.at), sql`rowid desc`)
		.limit(limit);
	return rows.map(({ at, command: words, subject: of, changes, actor }) => ({
		at: isoTime(at),
		command: words,
		subject: of,
		changes,
		by: actor,
	}));
};

export const auditRuns: RunsOf<typeof topic> = { list: listAudit };
