/** `audit …`: who changed what, and whether the log has all of it. */
import { and, desc, eq, gte, lt } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { auditLog } from '../../audit/table.ts';
import { clearIncidents } from '../../incidents/store.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { pick } from '../../platform/pick.ts';
import { isoTime } from '../../platform/time.ts';
import { CHANGED, verifiedAudit } from '../audit.ts';
import { fail, type RunOf, type RunsOf } from '../command.ts';
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
		.orderBy(desc(auditLog.at), desc(auditLog.number))
		.limit(limit);
	return rows.map((row) => ({ at: isoTime(row.at), ...pick(row, 'command', 'subject', 'changes'), by: row.actor }));
};

const LATER = 'the signer writes nothing now, because a backup or a restore is under way: run it again afterwards';

const verify: RunOf<typeof topic, 'verify'> = async (context) => (await verifiedAudit(context)) ?? fail(503, LATER);

/** The line comes first, so that the log says who accepted what, also where the signer fails afterwards. */
const accept: RunOf<typeof topic, 'accept'> = async (context, { reason }) => {
	const before = await verifiedAudit(context);
	if (!before) return fail(503, LATER);
	const { lines, wrong, broken } = before;
	const changes = { reason, lines, wrong, broken };
	await runBatch(context.db, [writeAudit(context, { command: 'audit accept', subject: null, changes })]);
	const accepted = await context.env.SIGNER.acceptAudit();
	await clearIncidents(context.db, CHANGED);
	return { accepted };
};

export const auditRuns: RunsOf<typeof topic> = { list: listAudit, verify, accept };
