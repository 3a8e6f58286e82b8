/** `network …`: the state of each network, the check of its nodes, and its switches. */
import * as z from 'zod/mini';
import { networkName, onOff, wholeOrNone } from '../input.ts';
import { declare, topicOf } from '../topic.ts';
import { MOMENT_HELP, moment } from './moment.ts';

const ANY = {
	name: {
		name: 'NAME',
		optional: true,
		schema: z.optional(networkName),
		help: 'one network, as Litecoin (all if not named)',
	},
} as const;
const STEPS = ['day', 'hour'] as const;

export const network = topicOf('networks: check their nodes, stop payouts to one or deposits from it', {
	list: declare({
		summary: 'all networks: what they run on, whether they answer, the hot wallet’s address, the last error',
		button: 'See the networks',
		rowPage: 'networks',
		reads: true,
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
		button: 'See how it was',
		reads: true,
		details:
			'Noted each hour, kept for 90 days. Of each day or hour the longest lag and the lowest reserve, at the prices of then.',
		arguments: ANY,
		options: {
			by: {
				kind: 'text',
				value: 'WHAT',
				choices: STEPS,
				schema: z._default(z.enum(STEPS), 'day'),
				help: 'a line for each of these (day if not named)',
			},
			since: {
				kind: 'text',
				value: 'T',
				schema: z._default(moment, '30d'),
				help: `since then: ${MOMENT_HELP} (30d if not named)`,
			},
		},
		columns: ['network', 'at', 'lagSeconds', 'reserveUsd'],
		empty: 'Nothing is noted of that time: the first line comes an hour after the first start.',
	}),
	check: declare({
		summary: 'ask the nodes of the agents Worker and of the signer what must be true before coins move there',
		button: 'Check the nodes',
		reads: true,
		details: 'Exit status 1 if anything is wrong. The answer names a node by its host.',
		arguments: ANY,
		exitRules: [{ field: 'problems', message: 'something is wrong; the answer says what' }],
		sections: { checks: ['network', 'who', 'what', 'ok', 'detail'] },
	}),
	update: declare({
		summary: 'stop deposits or payouts of a network, or ask for more confirmations; what is not named stays',
		button: 'Change the switch',
		details:
			'Deposits to orders that exist are still taken. Confirmations are only ever raised: the network’s own always hold as well. Both Workers ask for more at once.',
		arguments: { name: { name: 'NAME', schema: networkName, help: 'the network, as Litecoin' } },
		options: {
			send: onOff('off takes no new orders that pay out there and makes no payouts; what is owed waits (at first on)'),
			receive: onOff('off takes no new orders that are paid there (at first on)'),
			// The bounds are those that the schema of D1 states.
			confirmations: wholeOrNone(
				[1, 100_000],
				'blocks that every deposit there needs at least; none: what the network’s own row asks (at first none)',
			),
			aboveUsd: wholeOrNone(
				[1, 1_000_000_000],
				'with --confirmations-above: the value on its way above which deposits need more (at first none)',
			),
			confirmationsAbove: wholeOrNone([1, 100_000], 'the blocks that they need then (at first none)'),
		},
		needsOption: true,
	}),
});
