/** `ledger check`: do the books agree with the wallets? */
import * as z from 'zod';
import { declare, type Topic } from '../topic.ts';

export const ledger = {
	about: 'the books',
	commands: {
		check: declare({
			summary: 'prove the kept balances from the entries and compare them with what the wallets hold',
			// It stores what it has proven, and nothing else.
			reads: true,
			details:
				'Exit status 1 if anything differs, else 3 if a chain could not be asked. What cannot be compared is listed as unchecked, and what transactions under way explain, by amount, fee and time, as moving. ATTENTION names every outgoing transaction that waits, and why, those that belong to no order too. The entries are proven in pieces of a thousand orders: each run takes those with new entries, and three others in rotation. --full takes all; where one call does not suffice, next says how to go on.',
			input: z.strictObject({ full: z.boolean().optional(), from: z.int().min(0).optional() }),
			options: {
				full: { kind: 'present', help: 'prove all entries, from the first piece on' },
				from: { kind: 'integer', value: 'PIECE', help: 'prove all entries, from this piece on' },
			},
			exitRules: [
				{ field: 'differences', message: 'the books differ; the answer says where' },
				{ field: 'unchecked', status: 3, message: 'not every wallet could be compared; the answer says which not' },
				{ field: 'unproven', status: 3, message: 'not every new entry was proven; the answer says how to go on' },
			],
			sections: {
				unbalanced: ['order', 'asset', 'sum'],
				kept: ['where', 'what', 'asset', 'kept', 'found'],
				wallets: ['asset', 'books', 'held', 'difference', 'leftBehind', 'result', 'reason'],
				attention: ['id', 'orderId', 'kind', 'state', 'network', 'asset', 'amount', 'since', 'cause'],
			},
		}),
	},
} satisfies Topic;
