/**
 * The audit log against the chain that the signer keeps of it (`signer/journal/audit-chain.ts`): after each command, each
 * minute the newest line, each hour all of them.
 */
import { sql } from 'drizzle-orm';
import { writeIncident } from '../incidents/store.ts';
import type { Db } from '../platform/d1/database.ts';
import { logError } from '../platform/log.ts';
import { pick } from '../platform/pick.ts';
import { isoTime, isoTimeOrNull } from '../platform/time.ts';
import type { Context } from './command.ts';
import type { OperatorEnv } from './env.ts';

export const CHANGED = 'audit-log-changed';

/** As the schema makes them; a test compares. */
export const AUDIT_TRIGGERS: Readonly<Record<string, string>> = {
	audit_log_added: `CREATE TRIGGER audit_log_added BEFORE INSERT ON audit_log
WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.id OR number = NEW.number)
BEGIN
	SELECT RAISE(ABORT, 'refused: a line of the audit log is never replaced');
END`,
	audit_log_unchanged: `CREATE TRIGGER audit_log_unchanged BEFORE UPDATE ON audit_log
BEGIN
	SELECT RAISE(ABORT, 'refused: a line of the audit log is never changed');
END`,
	audit_log_kept: `CREATE TRIGGER audit_log_kept BEFORE DELETE ON audit_log
BEGIN
	SELECT RAISE(ABORT, 'refused: a line of the audit log is never deleted');
END`,
};

/** Never throws: what was done is done, and the next minute chains its line. */
export async function followAudit({ SIGNER }: Pick<OperatorEnv, 'SIGNER'>): Promise<void> {
	await SIGNER.followAudit().catch((error) => logError('audit_not_chained', error));
}

/** @throws what the signer throws */
export async function watchAudit(context: Context): Promise<void> {
	if ((await context.env.SIGNER.followAudit()) === 'cut') await examineAudit(context);
}

/** @throws what the signer or D1 throws */
export async function examineAudit(context: Context): Promise<void> {
	const found = await verifiedAudit(context);
	if (found && found.wrong > 0)
		await writeIncident(context.db, { kind: CHANGED, subject: 'audit', detail: textOf(found) }, context.now);
}

type Verified = NonNullable<Awaited<ReturnType<typeof verifiedAudit>>>;

/** Null where the signer writes nothing now. */
export async function verifiedAudit({ env, db }: Context) {
	const [proof, triggers] = await Promise.all([env.SIGNER.verifyAudit(), strangeTriggers(db)]);
	if (!proof) return null;
	const { since, wrong, broken } = proof;
	return {
		lines: proof.lines,
		since: isoTimeOrNull(since),
		wrong: wrong + triggers.length,
		...pick(proof, 'accepted', 'head'),
		broken: broken.map(({ what, number, at }) => ({ what, number, at: isoTime(at) })),
		triggers,
	};
}

export function textOf({ broken, triggers, wrong }: Verified): string {
	const [first] = broken;
	const lines = first ? [`line ${first.number} of ${first.at}: ${first.what}`] : [];
	return `${wrong} wrong: ${[...lines, ...triggers].slice(0, 2).join('; ')}`;
}

/** Triggers that are missing, were changed, or are none of ours. While a backup or a restore holds D1 it has others too. */
async function strangeTriggers(db: Db): Promise<string[]> {
	const found = await db.all<{ name: string; sql: string }>(
		sql`select name, sql from sqlite_master where type = 'trigger' and tbl_name = 'audit_log' and name not glob 'held *'`,
	);
	const names = new Set([...Object.keys(AUDIT_TRIGGERS), ...found.map(({ name }) => name)]);
	return [...names].flatMap((name) => {
		const is = found.find((trigger) => trigger.name === name)?.sql;
		if (is && words(is) === words(AUDIT_TRIGGERS[name] ?? '')) return [];
		return [is === undefined ? `the trigger ${name} is missing` : `the trigger ${name} is none of the service`];
	});
}

const words = (text: string): string => text.replaceAll(/\s+/g, ' ');
