/** `alert list`, `alert test` and `alert clear`. */
import { and, between, eq, sql } from 'drizzle-orm';
import { writeAudit, writeAuditIf } from '../../audit/log.ts';
import { JOURNAL_INCIDENTS } from '../../incidents/kinds.ts';
import { clearIncidents } from '../../incidents/store.ts';
import { incidents } from '../../incidents/table.ts';
import { isoTimesOf } from '../../platform/pick.ts';
import { isoTime } from '../../platform/time.ts';
import type { RestoredState } from '../../ports/copy.ts';
import { messageBody, postTo } from '../alerts/post.ts';
import { storedAlerts } from '../alerts/store.ts';
import { alertProblems, alertTarget } from '../alerts/target.ts';
import { type Context, fail, type RunOf, type RunsOf } from '../command.ts';
import type { alert as topic } from '../topics/alert.ts';

const testAlerts: RunOf<typeof topic, 'test'> = async ({ env, now }) => {
	const target = alertTarget(env);
	if (!target) {
		const [wrong] = alertProblems(env);
		return fail(409, wrong ? wrong.problem : 'alerts are off: set ALERT_WEBHOOK_URL and ALERT_WEBHOOK_SECRET');
	}
	const eventId = crypto.randomUUID();
	const text = 'This is a test of Partner Exchange’s alerts. Nothing waits because of it.';
	const body = messageBody({ id: eventId, now }, 'alert.test', text, {});
	const error = await postTo(target, { eventId, attempt: 1, body });
	// The host alone: the path of a chat tool's URL is a secret.
	const { host } = new URL(target.url);
	return error === null ? { accepted: true, host, eventId } : fail(503, `${host} did not accept the test: ${error}`);
};

/** Atomic: the audit log has an entry for each clearing that ended something. */
const clearIncident: RunOf<typeof topic, 'clear'> = async (context, input) => {
	const { db, env } = context;
	const { kind } = input;
	const subject = await wholeSubject(db, kind, input.subject);
	const mark = await journalMark(env, kind, subject);
	if (mark) {
		await writeAudit(context, { command: 'alert clear', subject, changes: { kind, at: isoTime(mark.restoredAt) } });
		await env.SIGNER.endMark(mark.restoredAt);
		return { kind, subject, cleared: true };
	}
	const exists = sql`exists (select 1 from ${incidents} where ${incidents.kind} = ${kind} and ${incidents.subject} = ${subject})`;
	const [, cleared] = await db.batch([
		writeAuditIf(context, { command: 'alert clear', subject, changes: { kind } }, exists),
		clearIncidents(db, kind, subject),
	]);
	if (cleared.length === 0) return fail(404, `there is no incident ${kind} of ${subject}`);
	return { kind, subject, cleared: true };
};

/** A table shows eight characters of an id, also in the command that it prints. */
async function wholeSubject(db: Context['db'], kind: string, subject: string): Promise<string> {
	if (!/^[0-9a-f]{8}$/.test(subject)) return subject;
	const isBegun = and(eq(incidents.kind, kind), between(incidents.subject, subject, `${subject}~`));
	const begun = await db.select({ subject: incidents.subject }).from(incidents).where(isBegun).limit(2);
	const [found] = begun;
	return found && begun.length === 1 ? found.subject : subject;
}

/** Such an incident is not in D1: the signer remembers it. Null where there is none, or it was ended before. */
async function journalMark({ SIGNER }: Context['env'], kind: string, subject: string): Promise<RestoredState | null> {
	if (subject !== 'signer' || !(Object.values(JOURNAL_INCIDENTS) as string[]).includes(kind)) return null;
	const mark = await SIGNER.restored();
	return mark && mark.endedAt === null && JOURNAL_INCIDENTS[mark.cause] === kind ? mark : null;
}

export const alertRuns: RunsOf<typeof topic> = {
	list: async ({ db }) =>
		(await storedAlerts(db)).map(({ nextAttemptAt, ...row }) => ({
			...row,
			...isoTimesOf(row, 'since', 'raisedAt', 'goneAt'),
			nextAttemptAt: row.state === 'told' ? null : isoTime(nextAttemptAt),
		})),
	test: testAlerts,
	clear: clearIncident,
};
