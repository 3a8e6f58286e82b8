/** `pair …`: which pairs are offered, and what an order of them may be worth. */
import * as z from 'zod/mini';
import { assetId, NOTHING_TO_CHANGE, wholeBetween } from '../input.ts';
import { declare, type Topic } from '../topic.ts';

/** US dollars; the maximum is far above any order. */
const orderUsd = wholeBetween(0, 1_000_000_000);

export const pair = {
	about: 'pairs: switch them on and off, set the bounds of an order’s worth',
	commands: {
		list: declare({
			summary: 'all pairs with their bounds, whether they are offered now, and why not',
			reads: true,
			input: z.strictObject({}),
			options: {},
			columns: ['from', 'to', 'active', 'minUsd', 'maxUsd', 'offered', 'why'],
		}),
		update: declare({
			summary: 'change a pair; what is not named stays',
			button: 'Change the switch',
			details: 'Orders that exist are settled within the new bounds.',
			input: z
				.strictObject({
					from: assetId,
					to: assetId,
					active: z.optional(z.boolean()),
					minUsd: z.optional(orderUsd),
					maxUsd: z.optional(orderUsd),
				})
				.check(
					z.refine(({ from, to }) => from !== to, 'a pair is of two different assets'),
					z.refine((input) => Object.keys(input).length > 2, NOTHING_TO_CHANGE),
				),
			arguments: {
				from: { name: 'FROM', help: 'the asset that is deposited, as LTC' },
				to: { name: 'TO', help: 'the asset that is paid out' },
			},
			options: {
				active: { kind: 'boolean', help: 'off leaves the pair out of every list and refuses it (at first on)' },
				minUsd: { kind: 'integer', help: 'the least that an order may be worth, US dollars (at first 40)' },
				maxUsd: { kind: 'integer', help: 'the most that an order may be worth, US dollars (at first 50000)' },
			},
			needsOption: true,
		}),
	},
} satisfies Topic;
