/** `audit …`: who changed what, and whether the log has all of it. */
import * as z from 'zod/mini';
import { LIMIT, limit, reason } from '../input.ts';
import { declare, type Topic } from '../topic.ts';
import { MOMENT_HELP, moment } from './moment.ts';

export const audit = {
	about: 'who changed what',
	commands: {
		list: declare({
			summary: 'what operators and partners changed, newest first',
			reads: true,
			input: z.strictObject({
				since: z.optional(moment),
				until: z.optional(moment),
				subject: z.optional(z.string().check(z.maxLength(200))),
				limit,
			}),
			options: {
				since: { kind: 'text', value: 'T', help: `changes since then: ${MOMENT_HELP}` },
				until: { kind: 'text', value: 'T', help: 'changes before then, in the same forms' },
				subject: {
					kind: 'text',
					value: 'S',
					names: 'subject',
					help: 'changes of this alone: an id, a pair as LTC>ETH, a network',
				},
				limit: LIMIT,
			},
			columns: ['at', 'by', 'command', 'subject', 'changes'],
		}),
		verify: declare({
			summary: 'compare each line with the chain that the signer keeps, and the triggers that refuse changes',
			details:
				'Exit status 1 where a line is missing or was rewritten, where lines never came to the signer, or where a trigger is missing. After the database was set back, lines are missing: `audit accept` says that you know why.',
			reads: true,
			input: z.strictObject({}),
			options: {},
			exitRules: [{ field: 'wrong', message: 'the audit log is not as it was written; the answer says where' }],
			sections: { broken: ['what', 'number', 'at'] },
		}),
		accept: declare({
			summary: 'say that you know why lines are missing or rewritten: they are wrong no longer',
			input: z.strictObject({ reason }),
			options: { reason: { kind: 'text', value: 'R', help: 'why, for the audit log', required: true } },
		}),
	},
} satisfies Topic;
