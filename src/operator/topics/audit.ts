/** `audit list`: who changed what. */
import * as z from 'zod';
import { limit } from '../input.ts';
import { declare, type Topic } from '../topic.ts';

const MILLISECONDS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const AGE = /^(\d{1,6})([mhd])$/;
const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/;
const SINCE_RULE = 'must be a date or time in UTC as 2026-11-20 or 2026-11-20T08:30Z, or an age as 90m, 12h, 7d';

/** The moment that `--since` names, Unix milliseconds; null for text that is neither a time nor an age. */
export function sinceOf(text: string, now: number): number | null {
	const [, count, unit] = AGE.exec(text) ?? [];
	if (count && unit) return now - Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
	const at = DATE.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(at) ? null : at;
}

export const audit = {
	about: 'who changed what',
	commands: {
		list: declare({
			summary: 'what operators and partners changed, newest first',
			input: z.strictObject({
				since: z
					.string()
					.max(100)
					.refine((text) => sinceOf(text, 0) !== null, SINCE_RULE)
					.optional(),
				subject: z.string().max(200).optional(),
				limit,
			}),
			options: {
				since: {
					kind: 'text',
					value: 'T',
					help: 'changes since then: a date or time as 2026-11-20 or 2026-11-20T08:30Z, or an age as 90m, 12h, 7d',
				},
				subject: {
					kind: 'text',
					value: 'S',
					help: 'changes of this alone: an id, a pair as LTC>ETH, a network',
				},
				limit: { kind: 'integer', help: 'at most this many, up to 500 (50 if not named)' },
			},
			columns: ['at', 'command', 'subject', 'changes'],
		}),
	},
} satisfies Topic;
