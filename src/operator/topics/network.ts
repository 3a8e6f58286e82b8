/** `network …`: the state of each network, the check of its nodes, and its switches. */
import * as z from 'zod/mini';
import { NOTHING_TO_CHANGE, networkName, wholeBetween } from '../input.ts';
import { declare, type Topic } from '../topic.ts';
import { MOMENT_HELP, moment } from './moment.ts';

export const network = {
	about: 'networks: check their nodes, stop payouts to one or deposits from it',
	commands: {
		list: declare({
			summary: 'all networks: what they run on, whether they answer, the hot wallet’s address, the last error',
			rowPage: 'networks',
			reads: true,
			input: z.strictObject({}),
			options: {},
			columns: [
				'name',
				'mode',
				'send',
				'receive',
				'answers',
				{ title: 'scanned', fields: ['lastScannedAt'] },
				{ title: 'free', fields: ['freeAddresses'] },
				'lastError',
			],
			wide: ['height', 'reserveUsd', 'hotAddress', 'lastErrorAt', 'confirmations', 'aboveUsd', 'confirmationsAbove'],
		}),
		history: declare({
			summary: 'how long after its last poll each network was, and what its hot wallet was worth',
			reads: true,
			details:
				'Noted each hour, kept for 90 days. Of each day or hour the longest lag and the lowest reserve, at the prices of then.',
			input: z.strictObject({
				name: z.optional(networkName),
				by: z._default(z.enum(['day', 'hour']), 'day'),
				since: z._default(moment, '30d'),
			}),
			arguments: { name: { name: 'NAME', optional: true, help: 'one network, as Litecoin (all if not named)' } },
			options: {
				by: {
					kind: 'text',
					value: 'WHAT',
					choices: ['day', 'hour'],
					help: 'a line for each of these (day if not named)',
				},
				since: { kind: 'text', value: 'T', help: `since then: ${MOMENT_HELP} (30d if not named)` },
			},
			columns: ['network', 'at', 'lagSeconds', 'reserveUsd'],
			empty: 'Nothing is noted of that time: the first line comes an hour after the first start.',
		}),
		check: declare({
			summary: 'ask the nodes of both Workers what must be true before coins move there',
			button: 'Check the nodes',
			reads: true,
			details: 'Exit status 1 if anything is wrong. The answer names a node by its host.',
			input: z.strictObject({ name: z.optional(networkName) }),
			arguments: { name: { name: 'NAME', optional: true, help: 'one network, as Litecoin (all if not named)' } },
			options: {},
			exitRules: [{ field: 'problems', message: 'something is wrong; the answer says what' }],
			sections: { checks: ['network', 'who', 'what', 'ok', 'detail'] },
		}),
		update: declare({
			summary: 'stop deposits or payouts of a network, or ask for more confirmations; what is not named stays',
			button: 'Change the switch',
			details:
				'Deposits to orders that exist are still taken. Confirmations are only ever raised: the network’s own always hold as well. Both Workers ask for more at once.',
			input: z
				.strictObject({
					name: networkName,
					send: z.optional(z.boolean()),
					receive: z.optional(z.boolean()),
					/** The bounds that the schema states. */
					confirmations: z.nullish(wholeBetween(1, 100_000)),
					aboveUsd: z.nullish(wholeBetween(1, 1_000_000_000)),
					confirmationsAbove: z.nullish(wholeBetween(1, 100_000)),
				})
				.check(z.refine((input) => Object.keys(input).length > 1, NOTHING_TO_CHANGE)),
			arguments: { name: { name: 'NAME', help: 'the network, as Litecoin' } },
			options: {
				send: {
					kind: 'boolean',
					help: 'off takes no new orders that pay out there and makes no payouts; what is owed waits (at first on)',
				},
				receive: { kind: 'boolean', help: 'off takes no new orders that are paid there (at first on)' },
				confirmations: {
					kind: 'integer',
					clearable: true,
					help: 'blocks that every deposit there needs at least; none: what the network’s own row asks (at first none)',
				},
				aboveUsd: {
					kind: 'integer',
					clearable: true,
					help: 'with --confirmations-above: the value on its way above which deposits need more (at first none)',
				},
				confirmationsAbove: {
					kind: 'integer',
					clearable: true,
					help: 'the blocks that they need then (at first none)',
				},
			},
			needsOption: true,
		}),
	},
} satisfies Topic;
