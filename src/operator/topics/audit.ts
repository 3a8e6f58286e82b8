/** `audit list`: who changed what. */
import * as z from 'zod';
import { LIMIT, limit } from '../input.ts';
import { declare, type Topic } from '../topic.ts';
import { MOMENT_HELP, moment } from './moment.ts';

export const audit = {
	about: 'who changed what',
	commands: {
		list: declare({
			summary: 'what operators and partners changed, newest first',
			reads: true,
			input: z.strictObject({
				since: moment.optional(),
				until: moment.optional(),
				subject: z.string().max(200).optional(),
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
	},
} satisfies Topic;
