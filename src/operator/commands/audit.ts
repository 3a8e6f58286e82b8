/** `audit list` (operator.md): who changed what. */
import { and, desc, eq, gte, sql } from 'drizzle-orm';
import * as z from 'zod';
import { auditLog } from '../../audit/table.ts';
import { command } from '../command.ts';
import { wholeBetween } from '../settings/input.ts';
import { isoTime } from '../shown.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
const MILLISECONDS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const AGE = /^(\d{1,6})([mhd])$/;
const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/;
const SINCE_RULE = 'must be a date or time in UTC as 2026-11-20 or 2026-11-20T08:30Z, or an age as 90m, 12h, 7d';

/** Unix milliseconds; null for what is neither. Pure. */
export function sinceOf(text: string, now: number): number | null {
	const [, count, unit] = AGE.exec(text) ?? [];
	if (count && unit) return now - Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
	const at = DATE.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(at) ? null : at;
}

const listInput = z.strictObject({
	since: z
		.string()
		.max(100)
		.refine((text) => sinceOf(text, 0) !== null, SINCE_RULE)
		.optional(),
	subject: z.string().max(200).optional(),
	limit: wholeBetween(1, MAX_LIMIT).default(DEFAULT_LIMIT),
});

export const listAudit = command(listInput, async ({ db, now }, { since, subject, limit }) => {
	const from = since === undefined ? null : sinceOf(since, now);
	const rows = await db
		.select()
		.from(auditLog)
		.where(
			and(
				from === null ? undefined : gte(auditLog.at, from),
				subject === undefined ? undefined : eq(auditLog.subject, subject),
			),
		)
		.orderBy(desc(auditLog.at), sql`rowid desc`)
		.limit(limit);
	return rows.map(({ at, command: words, subject: of, changes }) => ({
		at: isoTime(at),
		command: words,
		subject: of,
		changes,
	}));
});
