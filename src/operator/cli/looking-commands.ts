/** The commands that only look, over the whole service, one row each; a part of the table in `commands.ts`. */
import type { Command } from './command.ts';

export const LOOKING_COMMANDS: readonly Command[] = [
	{
		topic: 'attention',
		verb: '',
		summary: 'all that waits for a person or a condition: why, since when, and what to do',
		details:
			'Orders, our own transactions, pay-in addresses, prices, nodes, wallets, caps, switches, webhooks. Exit status 0 only when nothing waits. Whether the books agree with the wallets is for `ledger check`.',
		arguments: [],
		flags: [],
		columns: ['area', 'subject', 'cause', 'since', 'amount', 'usd', 'todo'],
		failsOn: [{ field: 'length', message: 'something waits; the answer says what, why, and what to do' }],
	},
	{
		topic: 'price',
		verb: 'list',
		summary: 'every coin with its price, how old that is, and the sources that agree on it',
		details: 'A price that is no longer fresh is not dealt on. Spread: of the sources that agree, in basis points.',
		arguments: [],
		flags: [],
		columns: ['coin', 'usd', 'fresh', 'ageSeconds', 'at', 'sources', 'spreadBps'],
	},
	{
		topic: 'audit',
		verb: 'list',
		summary: 'what operators and partners changed, newest first',
		arguments: [],
		flags: [
			{
				name: 'since',
				kind: 'text',
				value: 'T',
				help: 'changes since then: a date or time as 2026-11-20 or 2026-11-20T08:30Z, or an age as 90m, 12h, 7d',
			},
			{ name: 'subject', kind: 'text', value: 'S', help: 'changes of this alone: an id, a pair as LTC>ETH, a network' },
			{ name: 'limit', kind: 'integer', help: 'at most this many, up to 500 (50 if not named)' },
		],
		columns: ['at', 'command', 'subject', 'changes'],
	},
];
