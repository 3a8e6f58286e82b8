/** `network …`: the state of each network, the check of its nodes, and its switches. */
import * as z from 'zod';
import { NOTHING_TO_CHANGE, networkName } from '../input.ts';
import { declare, type Topic } from '../topic.ts';

export const network = {
	about: 'networks: check their nodes, stop payouts to one or deposits from it',
	commands: {
		list: declare({
			summary: 'all networks: what they run on, whether they answer, the hot wallet’s address, the last error',
			reads: true,
			input: z.strictObject({}),
			options: {},
			columns: [
				...['name', 'mode', 'send', 'receive', 'answers'],
				{ title: 'scanned', fields: ['lastScannedAt'] },
				{ title: 'free', fields: ['freeAddresses'] },
				'lastError',
			],
			wide: ['hotAddress', 'lastErrorAt'],
		}),
		check: declare({
			summary: 'ask the nodes of both Workers what must be true before coins move there',
			reads: true,
			details: 'Exit status 1 if anything is wrong. The answer names a node by its host.',
			input: z.strictObject({ name: networkName.optional() }),
			arguments: {
				name: { name: 'NAME', optional: true, help: 'one network, as Litecoin (all if not named)' },
			},
			options: {},
			exitRules: [{ field: 'problems', message: 'something is wrong; the answer says what' }],
			sections: { checks: ['network', 'who', 'what', 'ok', 'detail'] },
		}),
		update: declare({
			summary: 'stop deposits or payouts of a network; what is not named stays',
			details: 'Deposits to orders that exist are still taken.',
			input: z
				.strictObject({ name: networkName, send: z.boolean().optional(), receive: z.boolean().optional() })
				.refine((input) => Object.keys(input).length > 1, NOTHING_TO_CHANGE),
			arguments: { name: { name: 'NAME', help: 'the network, as Litecoin' } },
			options: {
				send: {
					kind: 'boolean',
					help: 'off takes no new orders that pay out there and makes no payouts; what is owed waits (at first on)',
				},
				receive: { kind: 'boolean', help: 'off takes no new orders that are paid there (at first on)' },
			},
			needsOption: true,
		}),
	},
} satisfies Topic;
