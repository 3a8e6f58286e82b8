/** `site …`: the settings of the whole service. */
import * as z from 'zod/mini';
import { BPS } from '../../money/bps.ts';
import { NOTHING_TO_CHANGE, wholeBetween } from '../input.ts';
import { declare, type Topic } from '../topic.ts';

const updateInput = z
	.strictObject({
		maintenance: z.optional(z.boolean()),
		dailyCapUsd: z.optional(wholeBetween(0, 1_000_000_000_000)),
		baseFeeBps: z.optional(wholeBetween(0, 2000)),
		/** The bounds that the schema states. */
		depositWindowSeconds: z.optional(wholeBetween(60, 86_400)),
		unpaidShareBps: z.optional(wholeBetween(0, BPS)),
		/** The bounds that the schema states. */
		archiveAfterDays: z.nullish(wholeBetween(31, 3650)),
		webhookBodyDays: z.optional(wholeBetween(1, 30)),
		showsSecrets: z.optional(z.boolean()),
		/** The bounds that the schema states. */
		decisionHours: z.nullish(wholeBetween(1, 720)),
		/** The bounds that the schema states. */
		sweepShareBps: z.optional(wholeBetween(1, 3333)),
	})
	.check(z.refine((input) => Object.keys(input).length > 0, NOTHING_TO_CHANGE));

export const site = {
	about: 'the whole service: maintenance, daily cap, base fee, deposit window',
	commands: {
		show: declare({
			summary: 'the settings of the whole service, and what today has used of its cap and of the signer’s',
			reads: true,
			input: z.strictObject({}),
			options: {},
		}),
		update: declare({
			summary: 'change them; what is not named stays',
			button: 'Change the setting',
			input: updateInput,
			options: {
				maintenance: { kind: 'boolean', help: 'on refuses new orders; those that exist go on (at first off)' },
				dailyCapUsd: { kind: 'integer', help: 'what a UTC day’s orders may be worth together (at first 1000000)' },
				baseFeeBps: { kind: 'integer', help: 'the house’s margin, 0 to 2000 basis points (at first 50)' },
				depositWindowSeconds: {
					kind: 'integer',
					help: 'how long a new order waits for its deposit, 60 to 86400 (at first 3600)',
				},
				unpaidShareBps: {
					kind: 'integer',
					help: 'of the daily cap, the share that one partner’s unpaid orders may take, basis points (at first 2500)',
				},
				archiveAfterDays: {
					kind: 'integer',
					clearable: true,
					help: 'finished orders move to the archive this many days after their deposit window, 31 to 3650; none: never (at first none)',
				},
				webhookBodyDays: {
					kind: 'integer',
					help: 'days until the body of a delivered webhook is dropped, 1 to 30; then it cannot be sent again (at first 30)',
				},
				decisionHours: {
					kind: 'integer',
					clearable: true,
					help: 'a deposit that waits for a decision goes back by itself after so many hours, 1 to 720; none: it never does (at first 72)',
				},
				sweepShareBps: {
					kind: 'integer',
					help: 'moving a deposit may cost at most this share of a minimum, 1 to 3333 basis points (at first 200)',
				},
				showsSecrets: {
					kind: 'boolean',
					help: 'may partners view their secrets in the cabinet, each time with their passkey (at first on)',
				},
			},
			needsOption: true,
		}),
	},
} satisfies Topic;
