/** `report`: what was earned, by what. */
import * as z from 'zod/mini';
import { GROUPINGS } from '../../treasury/reports/lines.ts';
import { declare, type Topic } from '../topic.ts';
import { MOMENT_HELP, moment } from './moment.ts';

export const report = {
	about: 'what was earned',
	commands: {
		'': declare({
			summary: 'orders, volume, partners’ margin, house earnings and network fees, and the exposure per asset',
			details:
				'Sums of USD are worth at settlement. A line counts the DONE orders whose deposits were settled in whole UTC days from --since on and before --until. Exposure is what the swaps of all time have made of the house’s coins: above zero it has more of an asset, below zero less.',
			reads: true,
			paged: 'report',
			input: z.strictObject({
				by: z._default(z.enum(GROUPINGS), 'day'),
				since: z.optional(moment),
				until: z.optional(moment),
				cursor: z.optional(z.string().check(z.maxLength(400))),
			}),
			options: {
				by: {
					kind: 'text',
					value: 'WHAT',
					choices: GROUPINGS,
					help: 'a line for each of these (day if not named); asset is the one that was paid in',
				},
				since: { kind: 'text', value: 'T', help: `from the day of ${MOMENT_HELP}` },
				until: { kind: 'text', value: 'T', help: `up to the day before ${MOMENT_HELP}` },
				cursor: {
					kind: 'text',
					value: 'C',
					help: 'where a page of the API ended; the command itself goes through all',
				},
			},
		}),
	},
} satisfies Topic;
