/** `report`: what was earned, by what. */
import * as z from 'zod/mini';
import { GROUPINGS } from '../../treasury/reports/lines.ts';
import { CURSOR, time } from '../input.ts';
import { declare, topicOf } from '../topic.ts';
import { MOMENT_HELP } from './moment.ts';

export const report = topicOf('what was earned', {
	'': declare({
		summary:
			'orders, volume, partners’ margin, house earnings, what leans did to them, network fees, and the exposure per asset',
		button: 'See the report',
		details:
			'Sums of USD are worth at settlement. leanUsd is the part of the house’s earnings by which leans moved the base fee, below zero where they took off more. A line counts the DONE orders whose deposits were settled in whole UTC days from --since on and before --until. Exposure is what the swaps of all time have made of the house’s coins: above zero it has more of an asset, below zero less.',
		reads: true,
		paged: 'report',
		options: {
			by: {
				kind: 'text',
				value: 'WHAT',
				choices: GROUPINGS,
				schema: z._default(z.enum(GROUPINGS), 'day'),
				help: 'a line for each of these (day if not named); asset is the one that was paid in',
			},
			since: time(`from the day of ${MOMENT_HELP}`),
			until: time(`up to the day before ${MOMENT_HELP}`),
			cursor: CURSOR,
		},
	}),
});
